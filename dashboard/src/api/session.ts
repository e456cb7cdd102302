// Who is signed in. The access token lives in this module and nowhere else, so that no other page and no file of the
// browser ever holds it; what outlives a reload is a cookie that scripts cannot read.
import { member, text } from './door';
import { noAnswer, refusalOf } from './refusal';

const base = '/api/v1/session';
const patience = 15_000;

let token: string | undefined;
let renewing: Promise<boolean> | undefined;
let ended = false;
const listeners = new Set<() => void>();

// The tabs of one browser share the cookie, so that what one of them does to the session holds for all.
const tabs = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('formonce-session');

export const accessToken = () => token;

/** Keeps the token of an answer that started or changed a session. */
export function keepSession(answer: { access_token: string }): void {
  token = answer.access_token;
  ended = false;
}

/** Forgets the token, and tells whoever asked to be told that nobody is signed in any more. */
export function endSession(): void {
  token = undefined;
  ended = true;
  for (const listener of listeners) listener();
}

/** Calls back when the session ends. Returns what stops that. */
export function onSessionEnd(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Tells the other tabs that the session is another one now: it ended, or it names another tenant. */
export function announceSession(): void {
  tabs?.postMessage('changed');
}

export function onSessionAnnounced(listener: () => void): void {
  tabs?.addEventListener('message', listener);
}

/** Whether somebody is signed in, asking the service when this page does not know yet. Throws when it does not answer. */
export async function hasSession(): Promise<boolean> {
  return token !== undefined || (!ended && (await renewSession()));
}

/**
 * Gets a new access token by the cookie. However many ask at once, one request is made. False when nobody is signed in;
 * throws when the service does not answer or cannot, since that ends no session.
 */
export function renewSession(): Promise<boolean> {
  renewing ??= renew().finally(() => {
    renewing = undefined;
  });

  return renewing;
}

async function renew(): Promise<boolean> {
  const response = await fetch(`${base}/refresh`, { method: 'POST', signal: AbortSignal.timeout(patience) }).catch(() => {
    throw noAnswer();
  });
  const body: unknown = await response.json().catch(() => null);

  token = response.ok ? text(body, 'access_token') : undefined;
  if (token !== undefined) return true;
  ended = response.status === 401;
  if (ended) return false;

  throw refusalOf(response.status, member(body, 'error') === undefined ? null : body);
}
