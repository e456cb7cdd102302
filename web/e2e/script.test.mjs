// Scripts of pages on other origins: fetch and sendBeacon.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage } from './harness/browser.mjs';
import { setStage } from './harness/stage.mjs';

const perMinute = 4;
const stage = setStage({ RATE_LIMIT_ENDPOINT: `${perMinute}/1m` });

async function openSite(t, origin = stage.site.origin) {
  const page = await openPage(t, stage.browser);
  await page.goto(stage.site.show('<h1>A page with a script</h1>').replace(stage.site.origin, origin));

  return page;
}

/** Calls fetch in the page, and returns what a script there can read of the answer: null when it can read nothing. */
const fetchFrom = (page, url, init) =>
  page.evaluate(
    async ([address, options]) => {
      try {
        const answer = await fetch(address, { method: 'POST', ...options });
        return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.json() };
      } catch {
        return null;
      }
    },
    [url, init],
  );

const json = (fields, headers = {}) => ({
  body: JSON.stringify(fields),
  headers: { 'Content-Type': 'application/json', ...headers },
});

test('a script sends a key after a preflight and reads that the second answer is a replay', async (t) => {
  const endpoint = await stage.service.endpoint();
  const page = await openSite(t);
  const post = json({ message: 'From a script' }, { 'Idempotency-Key': crypto.randomUUID() });
  const [first, second] = [await fetchFrom(page, endpoint.url, post), await fetchFrom(page, endpoint.url, post)];

  assert.deepEqual([first.status, second.status], [202, 202]);
  assert.equal(first.headers['idempotent-replayed'], undefined);
  assert.equal(second.headers['idempotent-replayed'], 'true');
  assert.deepEqual(second.body, { ...first.body, idempotent_replay: true });
  assert.equal((await stage.service.submissions(endpoint)).length, 1);
  assert.deepEqual(page.complaints, []);
});

test('a script reads how much is left, and when to come back once nothing is', async (t) => {
  const endpoint = await stage.service.endpoint();
  const page = await openSite(t);
  const answers = [];
  for (let n = 0; n <= perMinute; n++) answers.push(await fetchFrom(page, endpoint.url, json({ n })));

  assert.deepEqual(answers.map(({ status }) => status), [...Array(perMinute).fill(202), 429]);
  assert.match(answers[0].headers.ratelimit, /endpoint/);
  assert.match(answers[0].headers['ratelimit-policy'], /endpoint/);
  assert.ok(Number(answers.at(-1).headers['retry-after']) > 0);
  assert.equal(answers.at(-1).body.error.code, 'rate_limit_exceeded');
});

test('every header of the contract passes the preflight, and no other does', async (t) => {
  const endpoint = await stage.service.endpoint();
  const page = await openSite(t);
  const allowed = { Accept: 'application/json', 'Idempotency-Key': crypto.randomUUID(), 'X-Requested-With': 'XMLHttpRequest',
    'Formspree-Client': 'test', 'Formspree-Session-Data': 'test' };

  assert.equal((await fetchFrom(page, endpoint.url, json({ a: '1' }, allowed))).status, 202);
  assert.equal(await fetchFrom(page, endpoint.url, json({ a: '1' }, { Authorization: 'Bearer test' })), null);
  assert.equal((await stage.service.submissions(endpoint)).length, 1);
});

test('a request with credentials is not answered to a script', async (t) => {
  const endpoint = await stage.service.endpoint();
  const page = await openSite(t);

  assert.equal(await fetchFrom(page, endpoint.url, { ...json({ a: '1' }), credentials: 'include' }), null);
  assert.deepEqual(await stage.service.submissions(endpoint), []);
});

test('a script reads the errors of a refusal', async (t) => {
  const page = await openSite(t);
  const unknown = await fetchFrom(page, `${stage.service.url}/f/no-such-form`, json({ a: '1' }));
  const empty = await fetchFrom(page, (await stage.service.endpoint()).url, json({}));

  assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'endpoint_not_found']);
  assert.deepEqual([empty.status, empty.body.error.code], [422, 'empty_submission']);
});

test('a script that asks for nothing in particular gets JSON and no redirect', async (t) => {
  const endpoint = await stage.service.endpoint({ 'redirect-url': `${stage.site.origin}/welcome` });
  const page = await openSite(t);
  const answer = await fetchFrom(page, endpoint.url, { body: 'message=A+simple+request', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } });

  assert.equal(answer.status, 202);
  assert.equal(answer.body.next, `${stage.site.origin}/welcome`);
});

test('with an allow-list the pages on it can post and read, and no other can', async (t) => {
  const endpoint = await stage.service.endpoint({ 'allowed-origin': stage.site.origin });
  const [allowed, other] = [await openSite(t), await openSite(t, stage.site.otherOrigin)];
  const simple = { body: '{"message":"Without a preflight"}' };

  assert.equal(await fetchFrom(other, endpoint.url, json({ message: 'After a preflight' })), null);
  assert.equal(await fetchFrom(other, endpoint.url, simple), null);
  assert.deepEqual(await stage.service.submissions(endpoint), []);

  assert.equal((await fetchFrom(allowed, endpoint.url, json({ message: 'After a preflight' }))).status, 202);
  assert.equal((await fetchFrom(allowed, endpoint.url, simple)).status, 202);
  assert.equal((await stage.service.submissions(endpoint)).length, 2);
});

// What a page sends while it is left. A Blob that calls itself JSON is not among them: browsers send beacons with
// credentials, and their preflight for it asks for what is never allowed.
const beacons = [
  ['a string of JSON', () => JSON.stringify({ message: 'Leaving now' })],
  ['a Blob of JSON that is text', () => new Blob([JSON.stringify({ message: 'Leaving now' })], { type: 'text/plain' })],
  ['URLSearchParams', () => new URLSearchParams({ message: 'Leaving now' })],
  ['FormData', () => {
    const data = new FormData();
    data.append('message', 'Leaving now');

    return data;
  }],
];

for (const [name, body] of beacons) {
  test(`a beacon with ${name} is stored`, async (t) => {
    const endpoint = await stage.service.endpoint();
    const page = await openSite(t);
    const answered = page.waitForResponse(endpoint.url);

    assert.equal(await page.evaluate(`navigator.sendBeacon(${JSON.stringify(endpoint.url)}, (${body})())`), true);
    assert.equal((await answered).status(), 202);
    assert.deepEqual(await stage.service.onlyFields(endpoint), [['message', 'Leaving now']]);
  });
}
