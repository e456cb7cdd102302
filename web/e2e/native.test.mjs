// Forms without any script, as browsers post them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage } from './harness/browser.mjs';
import { startSlowLine } from './harness/line.mjs';
import { setStage } from './harness/stage.mjs';

const stage = setStage();

const hidden = (name, value) => `<input type="hidden" name="${name}" value="${value}">`;

const formTo = (endpoint, { attributes = '', controls = {} } = {}) => `
  <form method="post" action="${endpoint.url}" ${attributes}>
    ${Object.entries(controls).map(([name, value]) => hidden(name, value)).join('\n')}
    <input name="email" aria-label="E-mail">
    <textarea name="message" aria-label="Message"></textarea>
    <button>Send</button>
  </form>`;

async function openForm(t, endpoint, form = {}, browserOptions = {}) {
  const page = await openPage(t, stage.browser, browserOptions);
  page.formAddress = stage.site.show(formTo(endpoint, form));
  await page.goto(page.formAddress);

  return page;
}

const filled = { email: 'ada@example.com', message: 'Written by hand' };

/** Fills in the form and sends it; returns the answer to the post itself, before any redirect is followed. */
async function send(page, fields = filled) {
  for (const [name, value] of Object.entries(fields)) await page.fill(`[name="${name}"]`, value);

  return press(page);
}

async function press(page) {
  const answered = page.waitForResponse((response) => response.request().method() === 'POST');
  const arrived = page.waitForEvent('load');
  await page.click('button');
  await arrived;

  return answered;
}

const tooLong = 'too long '.repeat(2_000);

for (const enctype of ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']) {
  test(`a ${enctype} form is stored, and the visitor sees the thank-you page`, async (t) => {
    const endpoint = await stage.service.endpoint();
    const page = await openForm(t, endpoint, { attributes: `enctype="${enctype}"` });
    const answer = await send(page);

    assert.equal(answer.status(), 303);
    assert.equal(page.url(), `${endpoint.url}/thanks`);
    assert.equal(await page.textContent('h1'), 'Thank you');
    assert.deepEqual(await stage.service.onlyFields(endpoint), Object.entries(filled));
    assert.deepEqual(page.complaints, []);
  });
}

test('the thank-you page leads back to the site', async (t) => {
  const page = await openForm(t, await stage.service.endpoint());
  await send(page);
  await page.click('text=Back to the site');

  await page.waitForURL(`${stage.site.origin}/**`);
});

const destinations = [
  ['a wish for a page of an allowed origin is followed', { 'allowed-origin': 'SITE' }, { _next: 'SITE/done?a=1' }, 'SITE/done?a=1'],
  ['a wish for a path is followed on the page that is allowed', { 'allowed-origin': 'SITE' }, { _next: '/done' }, 'SITE/done'],
  ['the other spelling of the wish is followed', { 'allowed-origin': 'SITE' }, { _redirect: 'SITE/done' }, 'SITE/done'],
  ['a wish for an origin that is not allowed ends at our own page', { 'allowed-origin': 'SITE' }, { _next: 'OTHER/done' }, 'THANKS'],
  ['without an allow-list no wish is followed', {}, { _next: 'SITE/done' }, 'THANKS'],
  ['without a wish the owner decides', { 'redirect-url': 'SITE/welcome' }, {}, 'SITE/welcome'],
  ["a wish on the owner's own site goes before the owner's page", { 'redirect-url': 'SITE/welcome' }, { _next: 'SITE/done' }, 'SITE/done'],
  ["a wish that is refused ends at the owner's page", { 'redirect-url': 'SITE/welcome' }, { _next: 'OTHER/done' }, 'SITE/welcome'],
];

const place = (text) => text.replace('SITE', stage.site.origin).replace('OTHER', stage.site.otherOrigin);
const placed = (values) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, place(value)]));

for (const [rule, settings, controls, destination] of destinations) {
  test(rule, async (t) => {
    const endpoint = await stage.service.endpoint(placed(settings));
    const page = await openForm(t, endpoint, { controls: placed(controls) });
    await send(page);

    assert.equal(page.url(), place(destination).replace('THANKS', `${endpoint.url}/thanks`));
    assert.deepEqual(await stage.service.onlyFields(endpoint), Object.entries(filled));
  });
}

test('after a failure the browser goes where the form wishes', async (t) => {
  const endpoint = await stage.service.endpoint({ 'allowed-origin': stage.site.origin });
  const page = await openForm(t, endpoint, { controls: { _error: '/sorry' } });
  const answer = await send(page, { message: tooLong });

  assert.equal(answer.status(), 303);
  assert.equal(page.url(), `${stage.site.origin}/sorry`);
  assert.deepEqual(await stage.service.submissions(endpoint), []);
});

test('a refused form is a readable page with the same status that names the field', async (t) => {
  const endpoint = await stage.service.endpoint();
  const page = await openForm(t, endpoint);
  const answer = await send(page, { message: tooLong });

  assert.equal(answer.status(), 422);
  assert.match(answer.headers()['content-type'], /^text\/html/);
  assert.equal(await page.textContent('h1'), 'The form needs another look');
  assert.match(await page.textContent('li'), /^message .*Shorten it\.$/);
  assert.doesNotMatch(await page.content(), /too long too long/);
  assert.deepEqual(page.complaints, []);
});

async function assertStillTyped(page) {
  await page.waitForURL(page.formAddress);
  assert.equal(await page.inputValue('[name="email"]'), 'ada@example.com');
  assert.equal(await page.inputValue('[name="message"]'), tooLong);
}

test('the way back from the error page leads to the form as it was filled in', async (t) => {
  const page = await openForm(t, await stage.service.endpoint());
  await send(page, { email: 'ada@example.com', message: tooLong });
  await page.click('text=Go back to the form');

  await assertStillTyped(page);
});

test('after the way back the form can be put right and sent', async (t) => {
  const endpoint = await stage.service.endpoint();
  const page = await openForm(t, endpoint, { controls: { _idempotency: crypto.randomUUID() } });
  await send(page, { email: 'ada@example.com', message: tooLong });
  await page.click('text=Go back to the form');
  await page.waitForURL(page.formAddress);
  await send(page, { message: 'Short enough now' });

  assert.equal(page.url(), `${endpoint.url}/thanks`);
  assert.deepEqual(await stage.service.onlyFields(endpoint), [['email', 'ada@example.com'], ['message', 'Short enough now']]);
});

test('without JavaScript a form is sent and refused in the same way', async (t) => {
  const endpoint = await stage.service.endpoint();
  const page = await openForm(t, endpoint, {}, { javaScriptEnabled: false });
  const refused = await send(page, { email: 'ada@example.com', message: tooLong });

  assert.equal(refused.status(), 422);
  assert.equal(await page.locator('text=Go back to the form').isVisible(), false);
  assert.equal(await page.getAttribute('noscript a', 'href'), `${stage.site.origin}/`);

  await page.goBack();
  await assertStillTyped(page);
  await send(page);

  assert.equal(page.url(), `${endpoint.url}/thanks`);
  assert.equal((await stage.service.submissions(endpoint)).length, 1);
});

const refusals = [
  ['a page that is not allowed', 403, 'This form cannot be sent from here', () => stage.service.endpoint({ 'allowed-origin': 'https://www.example.com' })],
  ['a closed form', 410, 'This form is closed', () => stage.service.endpoint({ closed: true })],
  ['an unknown form', 404, 'There is no form here', async () => ({ url: `${stage.service.url}/f/no-such-form` })],
];

for (const [refused, status, title, makeEndpoint] of refusals) {
  test(`${refused} is a page with status ${status}`, async (t) => {
    const page = await openForm(t, await makeEndpoint());
    const answer = await send(page);

    assert.equal(answer.status(), status);
    assert.equal(await page.textContent('h1'), title);
  });
}

test('a double click on the button of a form with a key is one submission', async (t) => {
  const endpoint = await stage.service.endpoint();
  const page = await openForm(t, endpoint, { controls: { _idempotency: crypto.randomUUID() } });
  await page.fill('[name="message"]', 'Clicked twice');
  const arrived = page.waitForEvent('load'); // The page that was given up for the second click never loads.
  await page.dblclick('button');
  await arrived;

  assert.equal(page.url(), `${endpoint.url}/thanks`);
  assert.deepEqual(await stage.service.onlyFields(endpoint), [['email', ''], ['message', 'Clicked twice']]);
});

test('a second click while the answer to the first is on its way is one submission', async (t) => {
  const endpoint = await stage.service.endpoint();
  const line = await startSlowLine(t, stage.service.url, 2);
  const page = await openForm(t, { url: `${line.url}/f/${endpoint.id}` }, { controls: { _idempotency: crypto.randomUUID() } });
  await page.fill('[name="message"]', 'Clicked twice');
  const { x, y, width, height } = await page.locator('button').boundingBox();
  const click = () => page.mouse.click(x + width / 2, y + height / 2); // By place, since page.click waits for the answer.
  const arrived = page.waitForEvent('load');
  await click();
  await line.carried(1);
  await click();
  await arrived;

  assert.equal(page.url(), `${endpoint.url}/thanks`);
  const [stored, ...others] = await stage.service.submissions(endpoint);
  assert.deepEqual(others, []);
  assert.equal(stored.replay_count, 1);
});

test('a reload of the thank-you page stores nothing', async (t) => {
  const endpoint = await stage.service.endpoint();
  const page = await openForm(t, endpoint);
  await send(page);
  await page.reload();

  assert.equal(await page.textContent('h1'), 'Thank you');
  assert.equal((await stage.service.submissions(endpoint)).length, 1);
});

test('who goes back and sends the same again under the same key is thanked again and stored once', async (t) => {
  const endpoint = await stage.service.endpoint();
  const page = await openForm(t, endpoint, { controls: { _idempotency: crypto.randomUUID() } });
  await send(page);
  await page.goBack();
  const again = await press(page);

  assert.equal(again.headers()['idempotent-replayed'], 'true');
  assert.equal(page.url(), `${endpoint.url}/thanks`);

  const [stored, ...others] = await stage.service.submissions(endpoint);
  assert.deepEqual(others, []);
  assert.equal(stored.replay_count, 1);
});

test('who goes back and sends something else under the same key is told that it was sent already', async (t) => {
  const endpoint = await stage.service.endpoint();
  const page = await openForm(t, endpoint, { controls: { _idempotency: crypto.randomUUID() } });
  await send(page);
  await page.goBack();
  const again = await send(page, { message: 'Another thought' });

  assert.equal(again.status(), 409);
  assert.equal(await page.textContent('h1'), 'This was already sent');
  assert.deepEqual(await stage.service.onlyFields(endpoint), Object.entries(filled));
});

test('who goes back and sends the same again without a key is stored twice', async (t) => {
  const endpoint = await stage.service.endpoint();
  const page = await openForm(t, endpoint);
  await send(page);
  await page.goBack();
  await press(page);

  assert.equal((await stage.service.submissions(endpoint)).length, 2);
});
