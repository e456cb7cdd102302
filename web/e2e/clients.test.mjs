// @formspree/core as it ships, in a program that is not a browser.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createClient, getDefaultClient, isSubmissionError } from '@formspree/core';
import { startService } from './harness/service.mjs';

let service;
before(async () => (service = await startService({ RATE_LIMIT_ENDPOINT: '2/1m' })));
after(() => service?.stop());

const submit = (endpoint, data, client = getDefaultClient()) => client.submitForm(endpoint.id, data, { endpoint: service.url });

const formError = (result) => {
  assert.ok(isSubmissionError(result), 'the library reports an error');
  assert.deepEqual(result.getAllFieldErrors(), []);
  assert.equal(result.getFormErrors().length, 1);

  return result.getFormErrors()[0];
};

test('the library reports success and where to go next', async () => {
  const endpoint = await service.endpoint();
  const result = await submit(endpoint, { email: 'ada@example.com', message: 'Hello there' });

  assert.deepEqual({ ...result }, { kind: 'success', next: `${endpoint.url}/thanks` });
  assert.deepEqual(await service.onlyFields(endpoint), [['email', 'ada@example.com'], ['message', 'Hello there']]);
});

test("the library's project is the tenant's name in the address", async () => {
  const endpoint = await service.endpoint({ 'redirect-url': 'https://www.example.com/thanks' });
  const client = createClient({ project: service.tenant });
  const result = await submit(endpoint, { message: 'Under the project' }, client);

  assert.deepEqual({ ...result }, { kind: 'success', next: 'https://www.example.com/thanks' });
  assert.deepEqual(await service.onlyFields(endpoint), [['message', 'Under the project']]);
});

test("an endpoint is not found under another tenant's name", async () => {
  const endpoint = await service.endpoint();
  const result = await submit(endpoint, { message: 'Somebody else' }, createClient({ project: 'another' }));

  assert.equal(formError(result).code, 'FORM_NOT_FOUND');
  assert.deepEqual(await service.submissions(endpoint), []);
});

test('the library sends FormData with its repeats, and they are stored in order', async () => {
  const endpoint = await service.endpoint();
  const data = new FormData();
  for (const [name, value] of [['topic', 'second first'], ['name', 'Ada'], ['topic', 'first last']]) data.append(name, value);

  assert.equal((await submit(endpoint, data)).kind, 'success');
  assert.deepEqual(await service.onlyFields(endpoint), [['topic', 'second first'], ['name', 'Ada'], ['topic', 'first last']]);
});

test('values that are no text keep their type', async () => {
  const endpoint = await service.endpoint();
  const data = { count: 3, agreed: true, nothing: null, topics: ['one', 'two'] };

  assert.equal((await submit(endpoint, data)).kind, 'success');
  assert.deepEqual(await service.onlyFields(endpoint), Object.entries(data));
});

test('a key in the data makes a second call the same submission', async () => {
  const endpoint = await service.endpoint();
  const data = { message: 'Only once', _idempotency: crypto.randomUUID() };
  const [first, second] = [await submit(endpoint, data), await submit(endpoint, data)];

  assert.deepEqual([first.kind, second.kind], ['success', 'success']);
  assert.equal((await service.submissions(endpoint)).length, 1);
  assert.equal((await service.submissions(endpoint))[0].replay_count, 1);
});

const fieldFaults = [
  ['a value that is too long', 'bio', { name: 'Ada', bio: 'x'.repeat(16_385) }],
  ['a value with a NUL', 'name', { name: 'A\0da' }],
];

for (const [fault, field, data] of fieldFaults) {
  test(`${fault} is an error of its field`, async () => {
    const endpoint = await service.endpoint();
    const result = await submit(endpoint, data);

    assert.ok(isSubmissionError(result));
    assert.deepEqual(result.getFormErrors(), []);
    assert.deepEqual(result.getAllFieldErrors().map(([name]) => name), [field]);
    assert.match(result.getFieldErrors(field)[0].message, /\w.*\.$/);
    assert.deepEqual(await service.submissions(endpoint), []);
  });
}

const file = () => {
  const data = new FormData();
  data.append('cv', new Blob(['a file']), 'cv.txt');

  return data;
};

const formFaults = [
  ['an unknown form', 'FORM_NOT_FOUND', async () => ({ id: 'no-such-form' }), { a: '1' }],
  ['an address that no form can have', 'FORM_NOT_FOUND', async () => ({ id: 'Not_A_Form!' }), { a: '1' }],
  ['a closed form', 'INACTIVE', () => service.endpoint({ closed: true }), { a: '1' }],
  ['nothing filled in', 'EMPTY', () => service.endpoint(), {}],
  ['spam at an endpoint that refuses it', 'BLOCKED', () => service.endpoint({ 'refuse-spam': true }), { a: '1', _gotcha: 'x' }],
  ['a page that is not allowed', 'BLOCKED', () => service.endpoint({ 'allowed-origin': 'https://www.example.com' }), { a: '1' }],
  ['more than the form takes', 'FILES_TOO_BIG', () => service.endpoint(), { a: 'x'.repeat(300_000) }],
  ['a key that cannot be one', 'UNSPECIFIED', () => service.endpoint(), { a: '1', _idempotency: 'short' }],
];

for (const [fault, code, makeEndpoint, data] of formFaults) {
  test(`${fault} is an error of the form: ${code}`, async () => {
    const error = formError(await submit(await makeEndpoint(), data));

    assert.equal(error.code, code);
    assert.match(error.message, /\w.*\.$/);
  });
}

test('a file is refused in the word of the library', async () => {
  const result = await submit(await service.endpoint(), file());
  const errors = [...result.getFormErrors(), ...result.getAllFieldErrors().flatMap(([, found]) => found)];

  assert.equal(errors.length, 1);
  assert.equal(errors[0].code, 'NO_FILE_UPLOADS');
});

test('a key that was used for something else is an error of the form', async () => {
  const endpoint = await service.endpoint();
  const key = crypto.randomUUID();
  await submit(endpoint, { message: 'The first content', _idempotency: key });
  const error = formError(await submit(endpoint, { message: 'Another content', _idempotency: key }));

  assert.equal(error.code, 'UNSPECIFIED');
  assert.deepEqual(await service.onlyFields(endpoint), [['message', 'The first content']]);
});

test('a form that is sent too often says so as an error of the form', async () => {
  const endpoint = await service.endpoint();
  const send = () => submit(endpoint, { message: 'Too often' });
  const results = [await send(), await send(), await send()];

  assert.deepEqual(results.map(({ kind }) => kind), ['success', 'success', 'error']);
  assert.equal(formError(results[2]).code, 'UNSPECIFIED');
  assert.match(formError(results[2]).message, /\w.*\.$/);
  assert.equal((await service.submissions(endpoint)).length, 2);
});
