import { vi } from 'vitest';

type Reply = { status?: number; headers?: Record<string, string>; body?: unknown };

/** Stands in for the public side of the service: /f/… answers as told, and what was posted is kept. */
export function service(replies: { submit?: readonly (Reply | 'down')[] } = {}) {
  const posted: { path: string; key: string | null; body: string }[] = [];
  const queue = [...(replies.submit ?? [])];

  vi.stubGlobal('fetch', async (path: string, request: RequestInit = {}) => {
    posted.push({ path, key: new Headers(request.headers).get('Idempotency-Key'), body: String(request.body) });
    return answer(queue.shift() ?? 'down');
  });

  return { posted };
}

function answer(reply: Reply | 'down'): Response {
  if (reply === 'down') throw new TypeError('Failed to fetch');
  const { status = 200, headers = {}, body = {} } = reply;
  return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });
}

export function receipt(replay: boolean): Reply {
  return {
    status: 202,
    body: {
      submission_id: 'sub_019365b2c0de7a3f8f2b4c1d9e8a7654',
      endpoint_id: 'contact-form',
      received_at: '2026-08-24T14:34:27.651841Z',
      field_count: 3,
      idempotent_replay: replay,
      ok: true,
    },
  };
}

export function fault(status: number, code: string, message = 'A sentence of the service.', more: Partial<Reply> = {}): Reply {
  return { status, body: { error: { code, message } }, ...more };
}
