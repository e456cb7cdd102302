import { ask, member, text, type Answer } from './door';
import { issuesOf, type Issue } from './refusal';

export type Field = { readonly name: string; readonly value: string };

export type Receipt = {
  readonly submissionId: string;
  readonly endpointId: string;
  readonly receivedAt: string;
  readonly fieldCount: number;
};

/** What became of one request; the kinds are all there can be. */
export type Outcome =
  | { readonly kind: 'accepted' | 'replayed'; readonly status: number; readonly receipt: Receipt }
  | {
      readonly kind: 'conflict' | 'unknown-endpoint' | 'limited' | 'refused' | 'failed';
      readonly status: number;
      readonly code: string;
      readonly message: string;
      readonly issues: readonly Issue[];
      /** Seconds after which the service asks for another try. */
      readonly retryAfter?: number;
    }
  | { readonly kind: 'silent' };

/** Posts the fields, in their order, as a form would. The key makes sending again safe. */
export async function submit(endpoint: string, fields: readonly Field[], key: string): Promise<Outcome> {
  const answer = await ask(`/f/${encodeURIComponent(endpoint)}`, {
    method: 'POST',
    body: new URLSearchParams(fields.map(({ name, value }) => [name, value])),
    headers: { 'Idempotency-Key': key },
  });

  if (answer.kind === 'no-answer') return { kind: 'silent' };
  return accepted(answer) ?? refused(answer);
}

function accepted({ status, body }: Answer): Outcome | undefined {
  const submissionId = text(body, 'submission_id');
  if (status >= 300 || submissionId === undefined) return undefined;

  return {
    kind: member(body, 'idempotent_replay') === true ? 'replayed' : 'accepted',
    status,
    receipt: {
      submissionId,
      endpointId: text(body, 'endpoint_id') ?? '',
      receivedAt: text(body, 'received_at') ?? '',
      fieldCount: Number(member(body, 'field_count') ?? 0),
    },
  };
}

const kinds = {
  idempotency_conflict: 'conflict',
  endpoint_not_found: 'unknown-endpoint',
  invalid_endpoint_id: 'unknown-endpoint',
  rate_limit_exceeded: 'limited',
} as const;

function refused({ status, headers, body }: Answer): Outcome {
  const error = member(body, 'error');
  const code = text(error, 'code') ?? `http_${status}`;
  const wait = Number.parseInt(headers.get('Retry-After') ?? '', 10);

  return {
    kind: kinds[code as keyof typeof kinds] ?? (status < 500 ? 'refused' : 'failed'),
    status,
    code,
    message: text(error, 'message') ?? 'The answer was not one of Formonce. Is there a proxy in between?',
    issues: issuesOf(member(member(error, 'details'), 'issues')),
    ...(Number.isNaN(wait) ? {} : { retryAfter: wait }),
  };
}
