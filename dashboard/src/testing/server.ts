import { vi } from 'vitest';

export type Asked = { readonly method: string; readonly path: string; readonly headers: Headers; readonly body: string };
export type Reply = { status?: number; body?: unknown; headers?: Record<string, string> } | 'down';
type Route = (asked: Asked) => Reply | Promise<Reply>;

/**
 * Stands in for the service behind fetch. Routes are named by method and path, as in "GET /api/v1/session"; whatever has
 * no route is answered with 404. Returns what was asked for, in its order.
 */
export function server(routes: Record<string, Route | Reply>): Asked[] {
  const asked: Asked[] = [];

  vi.stubGlobal('fetch', async (target: string | Request, init: RequestInit = {}) => {
    const request =
      target instanceof Request ? target : new Request(new URL(target, window.location.origin), { ...init, signal: null });
    const one = {
      method: request.method,
      path: new URL(request.url).pathname,
      headers: request.headers,
      body: await request.text(),
    };
    asked.push(one);

    const route = routes[`${one.method} ${one.path}`] ?? { status: 404 };
    return answer(await (typeof route === 'function' ? route(one) : route));
  });

  return asked;
}

function answer(reply: Reply): Response {
  if (reply === 'down') throw new TypeError('Failed to fetch');
  const { status = 200, headers = {}, body } = reply;
  return new Response(body === undefined ? null : JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

export function refusal(status: number, code: string, message = 'A sentence of the service.', details?: unknown): Reply {
  return { status, body: { error: { code, message, ...(details === undefined ? {} : { details }) } } };
}

type Guarded = Record<string, Route> & { tokens: () => number };

/** Routes in which a request is let in only with the newest token, and each refresh hands out another one. */
export function guarded(path: string, body: unknown): Guarded {
  let count = 0;
  const routes = {
    'POST /api/v1/session/refresh': () => {
      count += 1;
      return { body: { access_token: `token-${count}`, expires_in: 900 } };
    },
    [`GET ${path}`]: ({ headers }: Asked) =>
      count > 0 && headers.get('Authorization') === `Bearer token-${count}` ? { body } : refusal(401, 'unauthenticated'),
  };

  return Object.defineProperty(routes, 'tokens', { value: () => count, enumerable: false }) as unknown as Guarded;
}
