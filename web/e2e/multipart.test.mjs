// multipart/form-data as Chromium writes it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage } from './harness/browser.mjs';
import { setStage } from './harness/stage.mjs';

const stage = setStage();

async function open(t, endpoint, inputs) {
  const page = await openPage(t, stage.browser);
  await page.goto(stage.site.show(`<form method="post" enctype="multipart/form-data" action="${endpoint.url}">${inputs}<button>Send</button></form>`));

  return page;
}

/** Presses the button and returns the status of the page that the visitor ends at. */
async function send(page) {
  const arrived = page.waitForResponse((response) => response.request().isNavigationRequest() && response.status() !== 303);
  await page.click('button');

  return (await arrived).status();
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
const input = ([name, value]) => `<input name="${escaped(name)}" value="${escaped(value)}">`;

const bodies = [
  ['names with quotes, brackets, blanks and backslashes', [
    ['say "hello"', 'one'], ['a[b][]', 'two'], ['first name', 'three'], ['back\\slash', 'four'], ["it's; fine=yes", 'five'],
  ]],
  ['names that look like markup or an escape', [['<b>', 'one'], ['a&b', 'two'], ['100%', 'three'], ['%41', 'four']]],
  ['names and values in other scripts', [['Straße', 'Überall'], ['名前', 'エイダ'], ['😀', '🎉 done'], ['имя', 'Ада']]],
  ['repeats, in the order of the page', [['topic', 'b'], ['name', 'Ada'], ['topic', 'a'], ['topic', 'b']]],
  ['values with quotes, markup and dashes that look like a boundary', [['a', '"quoted"'], ['b', '<b>bold</b>'], ['c', '------WebKitFormBoundary']]],
  ['values that are empty or blank', [['a', ''], ['b', ' '], ['c', 'x']]],
];

for (const [what, fields] of bodies) {
  test(`${what} are stored as they were sent`, async (t) => {
    const endpoint = await stage.service.endpoint();
    const page = await open(t, endpoint, fields.map(input).join(''));

    assert.equal(await send(page), 200);
    assert.deepEqual(await stage.service.onlyFields(endpoint), fields);
  });
}

test('checked boxes and chosen options are fields, the others are none', async (t) => {
  const endpoint = await stage.service.endpoint();
  const page = await open(t, endpoint, `
    <input type="checkbox" name="topics[]" value="a" checked><input type="checkbox" name="topics[]" value="b">
    <input type="checkbox" name="topics[]" value="c" checked><input type="radio" name="size" value="s">
    <select name="colour" multiple><option selected>red<option>green<option selected>blue</select>`);

  assert.equal(await send(page), 200);
  assert.deepEqual(await stage.service.onlyFields(endpoint), [['topics[]', 'a'], ['topics[]', 'c'], ['colour', 'red'], ['colour', 'blue']]);
});

test('lines of a text end as browsers send them', async (t) => {
  const endpoint = await stage.service.endpoint();
  const page = await open(t, endpoint, '<textarea name="message"></textarea>');
  await page.fill('textarea', 'Dear Ada,\n\ngoodbye');

  assert.equal(await send(page), 200);
  assert.deepEqual(await stage.service.onlyFields(endpoint), [['message', 'Dear Ada,\r\n\r\ngoodbye']]);
});

test('a file input that was left empty is no field', async (t) => {
  const endpoint = await stage.service.endpoint();
  const page = await open(t, endpoint, '<input name="name" value="Ada Lovelace"><input type="file" name="cv"><input type="file" name="more[]" multiple>');

  assert.equal(await send(page), 200);
  assert.deepEqual(await stage.service.onlyFields(endpoint), [['name', 'Ada Lovelace']]);
});

test('a file that was chosen is refused in words, and to a script as NO_FILE_UPLOADS', async (t) => {
  const endpoint = await stage.service.endpoint();
  const page = await open(t, endpoint, '<input name="name" value="Ada Lovelace"><input type="file" name="cv">');
  await page.setInputFiles('[type=file]', { name: 'cv "final".txt', mimeType: 'text/plain', buffer: Buffer.from('my life') });
  const answer = await page.evaluate(async () => {
    const form = document.querySelector('form');
    const answered = await fetch(form.action, { method: 'POST', body: new FormData(form) });

    return { status: answered.status, body: await answered.json() };
  });

  assert.equal(answer.status, 422);
  assert.equal(answer.body.error.code, 'file_upload_not_supported');
  assert.deepEqual(answer.body.errors.map(({ code, field }) => [code, field]), [['NO_FILE_UPLOADS', undefined]]);

  assert.equal(await send(page), 422);
  assert.match(await page.textContent('main'), /does not take files/);
  assert.deepEqual(await stage.service.submissions(endpoint), []);
});
