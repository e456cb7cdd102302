import { describe, expect, it } from 'vitest';
import { fault, receipt, service } from '../testing/service';
import { submit } from './submit';

const fields = [
  { name: 'topics', value: 'b' },
  { name: 'topics', value: 'a & c' },
];

describe('submit', () => {
  it('posts the fields in their order, repeats kept, with the key', async () => {
    const { posted } = service({ submit: [receipt(false)] });

    await submit('contact form', fields, 'key-0123456789abcdef');

    expect(posted).toEqual([
      { path: '/f/contact%20form', key: 'key-0123456789abcdef', body: 'topics=b&topics=a+%26+c' },
    ]);
  });

  it.each([
    ['a first receipt', receipt(false), 'accepted'],
    ['a replay', receipt(true), 'replayed'],
    ['a replay with status 200', { ...receipt(true), status: 200 }, 'replayed'],
    ['other content under the key', fault(409, 'idempotency_conflict'), 'conflict'],
    ['an id that nobody has', fault(404, 'endpoint_not_found'), 'unknown-endpoint'],
    ['an id that nobody can have', fault(404, 'invalid_endpoint_id'), 'unknown-endpoint'],
    ['too many requests', fault(429, 'rate_limit_exceeded'), 'limited'],
    ['a refusal', fault(422, 'empty_submission'), 'refused'],
    ['a fault of the service', fault(503, 'storage_unavailable'), 'failed'],
    ['the page of a proxy', { status: 502, body: '<html>Bad Gateway</html>' }, 'failed'],
    ['a page where JSON was due', { status: 200, body: '<html>' }, 'refused'],
    ['no answer', 'down' as const, 'silent'],
  ])('tells %s apart', async (_, reply, kind) => {
    service({ submit: [reply] });

    await expect(submit('contact-form', fields, 'key-0123456789abcdef')).resolves.toMatchObject({ kind });
  });

  it('says how long to wait and which fields are at fault', async () => {
    const body = { error: { code: 'validation_failed', message: 'm', details: { issues: [{ field: 'email', rule: 'email', message: 'No.' }] } } };
    service({ submit: [{ status: 422, body, headers: { 'Retry-After': '7' } }] });

    await expect(submit('contact-form', fields, 'key-0123456789abcdef')).resolves.toMatchObject({
      retryAfter: 7,
      issues: [{ field: 'email', message: 'No.' }],
    });
  });
});
