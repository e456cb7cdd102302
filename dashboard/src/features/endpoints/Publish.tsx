import { useQuery } from '@tanstack/react-query';
import { changesOf, publishDraft, type Changes, type Draft } from '../../api/schemas';
import { Confirm } from '../../ui/Confirm';
import { Loaded } from '../../ui/Loaded';
import { say } from '../../ui/notice';

/** Publishes the saved draft, after showing what that changes for visitors. */
export function Publish({ endpoint, draft }: { endpoint: string; draft: Draft }) {
  if (!draft.differs) return null;

  return (
    <div className="above">
      <Confirm
        button="Publish the saved draft"
        title="Publish the draft?"
        label="Publish it"
        danger={false}
        send={async () => {
          const { version } = await publishDraft(endpoint, draft.etag);
          say(`Version ${version} is published.`);
        }}
      >
        <Difference endpoint={endpoint} />
      </Confirm>
    </div>
  );
}

function Difference({ endpoint }: { endpoint: string }) {
  const query = useQuery(changesOf(endpoint));

  return (
    <Loaded query={query} what="the changes">
      {({ changes, conflicts }) => (
        <>
          {conflicts.map(({ key, message }) => (
            <p key={key} className="refused" data-tone="bad">
              {message}
            </p>
          ))}
          <ul className="timeline">
            {changes.map(({ kind, field, member }) => (
              <li key={`${kind} ${field} ${member}`}>
                <code>{field || 'The whole form'}</code> {words[kind]}
                {member && <span className="muted"> ({member})</span>}
              </li>
            ))}
          </ul>
        </>
      )}
    </Loaded>
  );
}

const words: Record<Changes['changes'][number]['kind'], string> = {
  added: 'is new',
  removed: 'goes',
  retyped: 'gets another type',
  stricter: 'is stricter: something is refused that was taken before',
  looser: 'is looser: something is taken that was refused before',
  relabelled: 'reads differently',
  changed: 'changes',
};
