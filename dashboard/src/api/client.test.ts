import { beforeEach, describe, expect, it, vi } from 'vitest';
import { guarded, refusal, server } from '../testing/server';

const list = { data: [], next_cursor: null };
const path = '/api/v1/endpoints';

// The token lives in a module, so that each test begins with modules of its own.
async function door() {
  vi.resetModules();
  const [client, session] = await Promise.all([import('./client'), import('./session')]);
  const ask = () => client.take(client.api.GET('/endpoints'));
  return { ...client, ...session, ask };
}

describe('a request of somebody who is signed in', () => {
  let opened: Awaited<ReturnType<typeof door>>;
  beforeEach(async () => {
    opened = await door();
  });

  it('gets a token by the cookie first, and carries it', async () => {
    const asked = server(guarded(path, list));

    await expect(opened.ask()).resolves.toEqual(list);
    expect(asked.at(-1)?.headers.get('Authorization')).toBe('Bearer token-1');
  });

  it('is sent once more with a new token when the old one has run out', async () => {
    const asked = server(guarded(path, list));
    opened.keepSession({ access_token: 'run out' });

    await expect(opened.ask()).resolves.toEqual(list);
    expect(asked.map(({ path: at }) => at)).toEqual([path, '/api/v1/session/refresh', path]);
  });

  it('shares one refresh with all others that wait for it', async () => {
    const routes = guarded(path, list);
    server(routes);
    opened.keepSession({ access_token: 'run out' });

    await Promise.all(Array.from({ length: 20 }, opened.ask));

    expect(routes.tokens()).toBe(1);
  });

  it.each([
    ['the cookie is refused', refusal(401, 'unauthenticated')],
    ['the new token is refused too', { body: { access_token: 'no better' } }],
  ])('ends the session when %s', async (_, refreshed) => {
    const asked = server({ 'POST /api/v1/session/refresh': refreshed, [`GET ${path}`]: refusal(401, 'unauthenticated') });
    const ended = vi.fn();
    opened.onSessionEnd(ended);
    opened.keepSession({ access_token: 'run out' });

    await expect(opened.ask()).rejects.toMatchObject({ status: 401 });
    expect(ended).toHaveBeenCalledOnce();
    expect(opened.accessToken()).toBeUndefined();

    // Nobody is asked again for what is known by now.
    const before = asked.length;
    await expect(opened.hasSession()).resolves.toBe(false);
    expect(asked.length).toBe(before);
  });

  it.each([
    ['does not answer', 'down' as const, 0],
    ['cannot answer', refusal(503, 'storage_unavailable'), 503],
    ['says that it was asked too often', refusal(429, 'rate_limit_exceeded'), 429],
  ])('keeps the session when the service %s', async (_, refreshed, status) => {
    server({ 'POST /api/v1/session/refresh': refreshed, [`GET ${path}`]: refusal(401, 'unauthenticated') });
    const ended = vi.fn();
    opened.onSessionEnd(ended);
    opened.keepSession({ access_token: 'run out' });

    await expect(opened.ask()).rejects.toMatchObject({ status });
    expect(ended).not.toHaveBeenCalled();
  });

  it('stores no token where another page could find it', async () => {
    server(guarded(path, list));
    await opened.ask();

    expect([localStorage.length, sessionStorage.length, document.cookie]).toEqual([0, 0, '']);
  });
});

describe('a refusal', () => {
  it('has the sentence of the API and what is wrong with each field', async () => {
    const { open, take } = await door();
    const issues = [{ field: 'email', rule: 'invalid', message: 'Give an e-mail address.' }];
    server({ 'POST /api/v1/session': refusal(422, 'invalid_tenant', 'It cannot be made.', { issues }) });

    const asked = take(open.POST('/session', { body: { email: '', password: '' } }));

    await expect(asked).rejects.toMatchObject({
      status: 422,
      code: 'invalid_tenant',
      message: 'It cannot be made.',
      issues: [{ field: 'email', message: 'Give an e-mail address.' }],
    });
  });

  it('says so when no answer came', async () => {
    const { open, take } = await door();
    server({ 'POST /api/v1/session': 'down' });

    await expect(take(open.POST('/session', { body: { email: '', password: '' } }))).rejects.toMatchObject({
      status: 0,
      code: 'no_answer',
    });
  });
});

describe('a request that no answer came to', () => {
  it('is sent again under its key when it makes something', async () => {
    const { api, intent, take, keepSession } = await door();
    keepSession({ access_token: 'good' });
    const replies = ['down' as const, { status: 201, body: { id: 'contact' } }];
    const asked = server({ [`POST ${path}`]: () => replies.shift() ?? 'down' });

    await take(api.POST('/endpoints', { params: intent(), body: { name: 'Contact' } }));

    const [first, second] = asked;
    expect(first?.headers.get('Idempotency-Key')).toMatch(/^dashboard-[0-9a-f]{32}$/);
    expect(second?.headers.get('Idempotency-Key')).toBe(first?.headers.get('Idempotency-Key'));
    expect(second?.body).toBe(first?.body);
  });

  it('is not sent again when it has no key', async () => {
    const { api, take, keepSession } = await door();
    keepSession({ access_token: 'good' });
    const asked = server({ [`PATCH ${path}/contact`]: 'down' });

    await expect(
      take(api.PATCH('/endpoints/{endpoint}', { params: { path: { endpoint: 'contact' } }, body: {} })),
    ).rejects.toMatchObject({ status: 0 });
    expect(asked.length).toBe(1);
  });
});
