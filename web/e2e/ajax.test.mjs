// @formspree/ajax as it ships, on a customer's page in a real browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage } from './harness/browser.mjs';
import { setStage } from './harness/stage.mjs';

const stage = setStage();

const form = `
  <div data-fs-success></div>
  <div data-fs-error></div>
  <form id="contact">
    <label>E-mail <input name="email" data-fs-field></label> <span data-fs-error="email"></span>
    <label>Message <textarea name="message" data-fs-field></textarea></label> <span data-fs-error="message"></span>
    <button type="submit" data-fs-submit-btn>Send</button>
  </form>`;

// The way of the library's own documentation for pages without a bundler: a queue first, then its script.
const withScriptTag = (options) => `${form}
  <script>
    window.formspree = window.formspree || function () { (formspree.q = formspree.q || []).push(arguments); };
    formspree('initForm', ${JSON.stringify({ formElement: '#contact', ...options })});
  </script>
  <script src="/packages/@formspree/ajax/dist/global.js" defer></script>`;

// The way of pages that load modules, which is what bundlers make of it.
const withModules = (options) => `${form}
  <script type="importmap">${JSON.stringify({
    imports: {
      '@formspree/ajax': '/packages/@formspree/ajax/dist/index.mjs',
      '@formspree/core': '/packages/@formspree/core/dist/index.mjs',
    },
  })}</script>
  <script type="module">
    import { initForm } from '@formspree/ajax';
    initForm(${JSON.stringify({ formElement: '#contact', ...options })});
  </script>`;

async function openForm(t, options, loaded = withScriptTag) {
  const page = await openPage(t, stage.browser);
  await page.goto(stage.site.show(loaded({ origin: stage.service.url, ...options })), { waitUntil: 'load' });

  return page;
}

async function send(page, fields) {
  for (const [name, value] of Object.entries(fields)) await page.fill(`[name="${name}"]`, value);
  const answered = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.click('button');

  return answered;
}

for (const [way, loaded] of [['a script tag', withScriptTag], ['modules', withModules]]) {
  test(`with ${way} the page says thank you, and the form is empty again`, async (t) => {
    const endpoint = await stage.service.endpoint();
    const page = await openForm(t, { formId: endpoint.id }, loaded);
    await send(page, { email: 'ada@example.com', message: 'Sent by a library' });

    await page.locator('[data-fs-success][data-fs-active]').getByText('Thank you!').waitFor();
    assert.equal(await page.inputValue('[name="message"]'), '');
    assert.deepEqual(await stage.service.onlyFields(endpoint), [['email', 'ada@example.com'], ['message', 'Sent by a library']]);
    assert.deepEqual(page.complaints, []);
  });
}

test("the library's project is the tenant's name in the address", async (t) => {
  const endpoint = await stage.service.endpoint();
  const page = await openForm(t, { formId: endpoint.id, projectId: stage.service.tenant });
  const answer = await send(page, { message: 'Under the project' });

  assert.equal(answer.url(), `${stage.service.url}/p/${stage.service.tenant}/f/${endpoint.id}`);
  await page.getByText('Thank you!').waitFor();
  assert.equal((await stage.service.submissions(endpoint)).length, 1);
});

test('an error of a field stands beside the field, and what was typed stays', async (t) => {
  const endpoint = await stage.service.endpoint();
  const page = await openForm(t, { formId: endpoint.id });
  const long = 'x'.repeat(16_385);
  await send(page, { email: 'ada@example.com', message: long });

  await page.locator('[data-fs-error="message"][data-fs-active]').getByText('Shorten it.').waitFor();
  assert.equal(await page.getAttribute('[name="message"]', 'aria-invalid'), 'true');
  assert.equal(await page.getAttribute('[name="email"]', 'aria-invalid'), null);
  assert.equal(await page.inputValue('[name="message"]'), long);
  assert.ok(await page.isEnabled('button'));
  assert.deepEqual(await stage.service.submissions(endpoint), []);
});

test('after an error the same form can be put right and sent', async (t) => {
  const endpoint = await stage.service.endpoint();
  const page = await openForm(t, { formId: endpoint.id });
  await send(page, { message: 'x'.repeat(16_385) });
  await page.locator('[data-fs-error="message"][data-fs-active]').waitFor();
  await send(page, { message: 'Short enough now' });

  await page.getByText('Thank you!').waitFor();
  assert.ok(await page.isHidden('[data-fs-error="message"]'));
  assert.equal((await stage.service.submissions(endpoint)).length, 1);
});

const formFaults = [
  ['an unknown form', 'There is no form', async () => ({ id: 'no-such-form' })],
  ['a closed form', 'does not take submissions any more', () => stage.service.endpoint({ closed: true })],
];

for (const [fault, sentence, makeEndpoint] of formFaults) {
  test(`${fault} is an error above the form, and what was typed stays`, async (t) => {
    const endpoint = await makeEndpoint();
    const page = await openForm(t, { formId: endpoint.id });
    await send(page, { message: 'Not for you' });

    await page.locator('[data-fs-error=""][data-fs-active]').getByText(sentence).waitFor();
    assert.equal(await page.inputValue('[name="message"]'), 'Not for you');
  });
}

test('a form that was copied to a site that is not allowed shows an error, and nothing is stored', async (t) => {
  const endpoint = await stage.service.endpoint({ 'allowed-origin': stage.site.otherOrigin });
  const page = await openForm(t, { formId: endpoint.id });
  await page.fill('[name="message"]', 'Not from here');
  await page.click('button');

  await page.locator('[data-fs-error=""][data-fs-active]').waitFor();
  assert.equal(await page.inputValue('[name="message"]'), 'Not from here');
  assert.deepEqual(await stage.service.submissions(endpoint), []);
});
