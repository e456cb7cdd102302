// The pages of the service around a submission, as people meet them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible, openPage } from './harness/browser.mjs';
import { setStage } from './harness/stage.mjs';

const stage = setStage();

async function post(page, endpoint, fields) {
  const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`);
  await page.goto(stage.site.show(`<form method="post" action="${endpoint.url}">${inputs.join('')}<button>Send</button></form>`));
  const arrived = page.waitForEvent('load');
  await page.click('button');
  await arrived;
}

const pages = [
  ['the thank-you page', 'Thank you', (page, endpoint) => post(page, endpoint, { name: 'Ada Lovelace' })],
  ['the error page', 'The form needs another look', (page, endpoint) => post(page, endpoint, { ['long'.repeat(8)]: 'x'.repeat(16_385) })],
  ['the page of an open address', 'This address takes submissions', (page, endpoint) => page.goto(endpoint.url)],
];

const looks = [
  ['light', { colorScheme: 'light', viewport: { width: 1280, height: 800 } }],
  ['dark', { colorScheme: 'dark', viewport: { width: 1280, height: 800 } }],
  ['narrow', { colorScheme: 'light', viewport: { width: 375, height: 667 } }],
];

const pageIsTooWide = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;

for (const [name, title, open] of pages) {
  for (const [look, options] of looks) {
    test(`${name}, ${look}, is accessible, fits the window and runs into no policy`, async (t) => {
      const page = await openPage(t, stage.browser, options);
      await open(page, await stage.service.endpoint());

      assert.equal(await page.textContent('h1'), title);
      assert.deepEqual(page.complaints, []);
      assert.equal(await page.evaluate(pageIsTooWide), false);
      await assertAccessible(page);
    });
  }
}

test('an opened address stores nothing and shows where to post', async (t) => {
  const endpoint = await stage.service.endpoint({ name: 'Contact <us>' });
  const page = await openPage(t, stage.browser);
  await page.goto(`${endpoint.url}?name=Ada`);

  assert.match(await page.textContent('main'), /The form Contact <us> sends its fields here/);
  assert.ok((await page.textContent('pre')).includes(`action="${endpoint.url}"`));
  assert.deepEqual(await stage.service.submissions(endpoint), []);
});
