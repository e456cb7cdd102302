import { useQuery } from '@tanstack/react-query';
import { endOtherSessions, endSessionById, sessionList, type Session } from '../../api/sessions';
import { Confirm } from '../../ui/Confirm';
import { Loaded } from '../../ui/Loaded';
import { Moment } from '../../ui/Moment';
import { say } from '../../ui/notice';
import { Panel } from '../../ui/Panel';

export function Sessions() {
  const query = useQuery(sessionList);

  return (
    <Panel title="Where you are signed in">
      <Loaded query={query} what="your sessions">
        {({ data }) => (
          <>
            <ul className="rows">
              {data.map((one) => (
                <Row key={one.id} one={one} />
              ))}
            </ul>
            {data.length > 1 && (
              <Confirm
                button="Sign out everywhere else"
                title="Sign out everywhere else?"
                label="Sign out the others"
                send={async () => {
                  await endOtherSessions();
                  say('All other sessions have ended.');
                }}
              >
                <p>You stay signed in here.</p>
              </Confirm>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function Row({ one }: { one: Session }) {
  const name = programOf(one.agent);

  return (
    <li className="row">
      <div className="row-what">
        <strong>{name}</strong> {one.current && <span className="tag">this one</span>}
        <p className="muted small">
          {one.address} · since <Moment at={one.created_at} /> · seen <Moment at={one.seen_at} />
        </p>
      </div>
      {!one.current && (
        <Confirm
          quiet
          button="Sign out"
          name={`${name}, ${one.address}`}
          title={`Sign out ${name}?`}
          label="Sign it out"
          send={async () => {
            await endSessionById(one.id);
            say('The session has ended.');
          }}
        >
          <p>Whoever uses it has to sign in again.</p>
        </Confirm>
      )}
    </li>
  );
}

const programs = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/curl\//, 'curl'],
] as const;

const systems = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;

/** What a program that calls itself this is known as: "Firefox on Linux". */
export function programOf(agent: string): string {
  const program = programs.find(([pattern]) => pattern.test(agent))?.[1];
  const system = systems.find(([pattern]) => pattern.test(agent))?.[1];

  return [program ?? (agent || 'Unknown program'), system].filter(Boolean).join(' on ');
}
