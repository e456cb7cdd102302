// The ways in and out. Whoever comes in or goes is told to the other tabs, and leaves nothing of the one before.
import { queryOptions } from '@tanstack/react-query';
import { api, open, take } from './client';
import { member } from './door';
import { queries } from './queries';
import { asRefusal } from './refusal';
import { announceSession, endSession, keepSession } from './session';

/** What the service asks for after a password, when the person has a second factor. */
export type Challenge = { readonly challenge: string; readonly methods: readonly string[] };

/** Makes a session of the answer that began one. */
export function begin(answer: { access_token: string }): void {
  keepSession(answer);
  queries.clear();
  announceSession();
}

/** Throws second_factor_required, from which challengeOf reads what to answer, when the password is not enough. */
export async function signIn(email: string, password: string): Promise<void> {
  begin(await take(open.POST('/session', { body: { email, password } })));
}

/** Makes a tenant with its first member, who is signed in then. */
export async function signUp(body: { tenant_name: string; email: string; password: string }): Promise<void> {
  begin(await take(open.POST('/signup', { body })));
}

/** The challenge that a refused sign-in came with, or undefined when it was refused for another reason. */
export function challengeOf(thrown: unknown): Challenge | undefined {
  const { code, details } = asRefusal(thrown);
  const challenge = member(details, 'challenge');
  const methods = member(details, 'methods');
  if (code !== 'second_factor_required' || typeof challenge !== 'string') return undefined;

  return { challenge, methods: Array.isArray(methods) ? methods.map(String) : [] };
}

/** The challenge that a provider's sign-in left behind the # of the address, where no server sees it; it is taken away. */
export function challengeOfAddress(): Challenge | undefined {
  const found = new URLSearchParams(window.location.hash.slice(1));
  const challenge = found.get('challenge');
  if (challenge === null) return undefined;

  window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search);
  return { challenge, methods: (found.get('methods') ?? '').split(',') };
}

export async function answerChallenge(body: { challenge: string; code?: string; recovery_code?: string }): Promise<void> {
  begin(await take(open.POST('/session/second-factor', { body })));
}

export const signInMethods = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: () => take(open.GET('/sign-in-methods')),
  staleTime: Infinity,
});

/** Ends the session here and at the service. A session that the service has ended already is no mistake. */
export async function signOut(): Promise<void> {
  await take(api.DELETE('/session'));
  endSession();
  announceSession();
}

/** Goes on in another tenant of the same person. */
export async function switchTenant(tenant_id: string): Promise<void> {
  begin(await take(api.POST('/session/tenant', { body: { tenant_id } })));
}

export async function forgottenPassword(email: string): Promise<void> {
  await take(open.POST('/password/forgotten', { body: { email } }));
}

export async function resetPassword(token: string, password: string): Promise<void> {
  await take(open.POST('/password/reset', { body: { token, password } }));
}

export async function verifyAddress(token: string): Promise<void> {
  await take(open.POST('/email/verify', { body: { token } }));
}

export async function confirmNewAddress(token: string): Promise<void> {
  await take(open.POST('/account/email/confirm', { body: { token } }));
}
