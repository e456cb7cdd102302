import { ask, member, text } from './door';

export type Readiness =
  | { readonly kind: 'ready' }
  | { readonly kind: 'not-ready'; readonly reason: string }
  | { readonly kind: 'silent' };

/** Asks whether the service can accept submissions now: its database answers and its migrations are current. */
export async function readiness(): Promise<Readiness> {
  const answer = await ask('/readyz');
  if (answer.kind === 'no-answer') return { kind: 'silent' };
  if (answer.status === 200) return { kind: 'ready' };

  const reason = text(member(answer.body, 'error'), 'message') ?? 'It does not say why; its log does.';
  return { kind: 'not-ready', reason };
}
