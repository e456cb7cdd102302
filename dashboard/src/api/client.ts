// The management API with the types of its contract. `api` asks as whoever is signed in, `open` as nobody.
import createClient from 'openapi-fetch';
import type { components, paths } from './contract';
import { accessToken, endSession, renewSession } from './session';
import { asRefusal, noAnswer, refusalOf } from './refusal';

export type Schemas = components['schemas'];

type Success<R> = R extends { 200: infer Ok } ? Ok : R extends { 201: infer Created } ? Created : never;

/** The content of a successful answer of an operation. */
export type Answer<P extends keyof paths, M extends keyof paths[P]> = paths[P][M] extends { responses: infer R }
  ? Success<R> extends { content: { 'application/json': infer Content } }
    ? Content
    : never
  : never;

const patience = 15;

/** For an answer that goes on for as long as it is read. */
export const endless = Infinity;
const baseUrl = `${window.location.origin}/api/v1`;

export const open = createClient<paths>({ baseUrl, fetch: (request) => send(request) });
export const api = createClient<paths>({ baseUrl, fetch: (request) => sendSigned(request) });

/** Sends a request as whoever is signed in. A token that has run out is renewed once; a second refusal ends the session. */
export async function sendSigned(request: Request, seconds = patience): Promise<Response> {
  const first = await send(signed(request.clone()), seconds);
  if (first.status !== 401) return first;

  const second = (await renewSession()) ? await send(signed(request.clone()), seconds) : first;
  if (second.status === 401) endSession();

  return second;
}

function signed(request: Request): Request {
  const token = accessToken();
  if (token !== undefined) request.headers.set('Authorization', `Bearer ${token}`);
  return request;
}

// What carries an idempotency key, or changes nothing, is sent again when no answer came.
async function send(request: Request, seconds = patience): Promise<Response> {
  const again = request.method === 'GET' || request.headers.has('Idempotency-Key') ? request.clone() : undefined;
  try {
    return await fetch(request, limited(request, seconds));
  } catch (error) {
    if (!again || request.signal.aborted) throw error;
    return fetch(again, limited(request, seconds));
  }
}

function limited({ signal }: Request, seconds: number): RequestInit {
  return seconds === endless ? {} : { signal: AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]) };
}

type Answered = { data?: unknown; error?: unknown; response: Response };
type Content<A extends Answered> = Exclude<A['data'], undefined>;

/** The content of an answer. Throws a Refusal when there is none. */
export async function take<A extends Answered>(asked: Promise<A>): Promise<Content<A>> {
  return (await settle(asked)).data as Content<A>;
}

/**
 * Says that an answer has all of its members. The contract describes settings once, for requests, which may leave any of
 * them out, and for answers, which have them all.
 */
export function whole<T>(answer: T): Required<T> {
  return answer as Required<T>;
}

/** The content of an answer with its ETag, which goes back as If-Match with a change of it. */
export async function takeTagged<A extends Answered>(asked: Promise<A>): Promise<Content<A> & { etag: string }> {
  const { data, response } = await settle(asked);
  return { ...(data as Content<A> & object), etag: response.headers.get('ETag') ?? '' } as Content<A> & { etag: string };
}

async function settle<A extends Answered>(asked: Promise<A>): Promise<A> {
  let answer: A;
  try {
    answer = await asked;
  } catch (error) {
    throw error instanceof SyntaxError ? noAnswer() : asRefusal(error);
  }

  if (!answer.response.ok) throw refusalOf(answer.response.status, answer.error);
  return answer;
}

/** The header that makes a creating request safe to send again: one key an intent. */
export function intent(): { header: { 'Idempotency-Key': string } } {
  return { header: { 'Idempotency-Key': newKey('dashboard') } };
}

// crypto.randomUUID exists only on https and localhost; a dashboard on a plain address of the network needs a key too.
export function newKey(prefix: string): string {
  const hex = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${prefix}-${hex}`;
}
