// The one door to the server. It never throws: an answer, whatever its status, is an Answer, and the lack of one is not.

export type Answer = {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: Headers;
  /** The JSON of the answer, or null when it is none. */
  readonly body: unknown;
};

export type NoAnswer = { readonly kind: 'no-answer' };

const patience = 15_000;

export async function ask(path: string, request: RequestInit = {}): Promise<Answer | NoAnswer> {
  try {
    const response = await fetch(path, {
      ...request,
      credentials: 'omit',
      headers: { Accept: 'application/json', ...request.headers },
      signal: AbortSignal.timeout(patience),
    });

    return { kind: 'answer', status: response.status, headers: response.headers, body: await readJSON(response) };
  } catch {
    return { kind: 'no-answer' };
  }
}

async function readJSON(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The member of a JSON object, or undefined when there is no such object or member. */
export function member(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;
}

export function text(body: unknown, name: string): string | undefined {
  const found = member(body, name);
  return typeof found === 'string' ? found : undefined;
}
