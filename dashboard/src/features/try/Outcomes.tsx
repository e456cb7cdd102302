import { Link } from '@tanstack/react-router';
import { explain } from './outcome';
import type { Try } from './useTrial';

type Props = { tries: readonly Try[] };

/** The newest answer as a receipt, with its meaning, and the earlier ones in a line each. */
export function Outcomes({ tries }: Props) {
  const [latest, ...earlier] = tries;
  const stored = tries.flatMap(({ outcome }) => ('receipt' in outcome ? [outcome.receipt] : []))[0];

  return (
    <div className="outcomes">
      <div role="status" aria-live="polite">
        {latest ? <Slip key={latest.id} one={latest} /> : <EmptySlip />}
      </div>
      {stored && (
        <Link to="/inbox" search={{ endpoint: stored.endpointId, open: stored.submissionId }}>
          See it in the inbox
        </Link>
      )}
      {earlier.length > 0 && <Earlier tries={earlier} />}
    </div>
  );
}

function EmptySlip() {
  return (
    <div className="slip slip-empty">
      <p>The receipt of your submission appears here.</p>
    </div>
  );
}

function Slip({ one }: { one: Try }) {
  const { tone, stamp, sentence, next } = explain(one.outcome);

  return (
    <div className="slip" data-tone={tone}>
      <p className="stamp">{stamp}</p>
      <p className="slip-sentence">{sentence}</p>
      <dl className="facts">
        {facts(one).map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="slip-next">{next}</p>
    </div>
  );
}

function facts({ key, outcome }: Try): [string, string][] {
  const sent: [string, string] = ['Key', key];
  if (outcome.kind === 'silent') return [sent];

  const status: [string, string] = ['Status', String(outcome.status)];
  if (!('receipt' in outcome)) {
    const issues = outcome.issues.map(({ field, message }): [string, string] => [field || 'Field', message]);
    return [status, ['Code', outcome.code], ...issues, sent];
  }

  const { submissionId, endpointId, receivedAt, fieldCount } = outcome.receipt;
  return [
    status,
    ['Submission', submissionId],
    ['Endpoint', endpointId],
    ['Received', receivedAt],
    ['Fields', String(fieldCount)],
    ['Replayed', outcome.kind === 'replayed' ? 'yes' : 'no'],
    sent,
  ];
}

function Earlier({ tries }: { tries: readonly Try[] }) {
  return (
    <section aria-labelledby="earlier-title">
      <h3 id="earlier-title" className="small-title">
        Earlier answers
      </h3>
      <ol className="earlier">
        {tries.map(({ id, outcome }) => {
          const { tone, stamp } = explain(outcome);
          return (
            <li key={id}>
              <span className="pill" data-tone={tone}>
                {stamp}
              </span>
              <span className="mono small">{'receipt' in outcome ? outcome.receipt.submissionId : 'nothing stored'}</span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
