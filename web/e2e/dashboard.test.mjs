// The dashboard as people use it, against the service that it comes with. One service for the file, and one tenant that
// grows from test to test.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible, openPage } from './harness/browser.mjs';
import { linkOfMail, password, signIn, signUp, totp } from './harness/people.mjs';
import { setStage } from './harness/stage.mjs';

const stage = setStage();
const ada = 'ada@acme.example';
const grace = 'grace@acme.example';

const main = (page) => page.getByRole('navigation', { name: 'Main' });
const heading = (page, name) => page.getByRole('heading', { name, exact: true });
const press = (page, name) => page.getByRole('button', { name, exact: true }).click();

async function openDashboard(t, email, path = '/', options = {}) {
  const page = await openPage(t, stage.browser, { reducedMotion: 'reduce', ...options });
  await page.goto(`${stage.service.url}/dashboard${path}`);
  await signIn(page, email);

  return page;
}

test('the root of the service leads to the dashboard, which asks a stranger to sign in', async (t) => {
  const page = await openPage(t, stage.browser);
  await page.goto(`${stage.service.url}/`);
  await heading(page, 'Sign in').waitFor();

  assert.equal(new URL(page.url()).pathname, '/dashboard/sign-in');
  assert.deepEqual(page.complaints, []);
});

test('somebody signs up, makes an endpoint, and sees at once what a form sends to it', async (t) => {
  const page = await openPage(t, stage.browser, { reducedMotion: 'reduce' });
  await signUp(page, stage.service.url, { tenant: 'Acme', email: ada });

  await press(page, 'Make an endpoint');
  await page.getByRole('dialog').getByLabel('Name').fill('Contact form');
  await page.getByRole('dialog').getByLabel('Address').fill('acme-contact');
  await press(page, 'Make it');
  await heading(page, 'Contact form').waitFor();

  await main(page).getByRole('link', { name: 'Inbox' }).click();
  await page.getByText('Nothing has arrived yet').waitFor();

  const body = new URLSearchParams({ name: 'Charles Babbage', email: 'charles@example.com', message: 'About the engine' });
  const key = { 'Idempotency-Key': 'dashboard-test-0001' };
  const send = () => fetch(`${stage.service.url}/f/acme-contact`, { method: 'POST', body, headers: { ...key, Accept: 'application/json' } });
  assert.equal((await send()).status, 202);
  assert.equal((await send()).status, 202);

  // The list is not asked for again by hand: it hears of what arrives.
  const letters = page.getByRole('list', { name: 'Submissions' });
  await letters.getByRole('link', { name: /Charles Babbage/ }).click();
  const opened = page.getByRole('region', { name: 'The open submission' });
  await opened.getByText('About the engine').waitFor();
  await opened.getByRole('button', { name: 'Star', exact: true }).click();
  await opened.getByRole('button', { name: 'Remove the star' }).waitFor();
  assert.equal(await letters.getByRole('link').count(), 1);

  await page.getByLabel('Mark', { exact: true }).selectOption('Starred');
  await letters.getByRole('link', { name: /Charles Babbage/ }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('starred'), 'true');
  assert.deepEqual(page.complaints, []);
});

test('the search finds words, and what matches nothing leads back', async (t) => {
  const page = await openDashboard(t, ada, '/inbox?q=babbage');
  await page.getByRole('link', { name: /Charles Babbage/ }).waitFor();

  await page.getByLabel('Search', { exact: true }).fill('difference');
  await page.getByText('Nothing matches').waitFor();
  await page.getByRole('link', { name: 'Show everything' }).click();
  await page.getByRole('link', { name: /Charles Babbage/ }).waitFor();
});

test('trying an endpoint out shows a receipt, a replay and a conflict', async (t) => {
  const page = await openDashboard(t, ada, '/endpoints/acme-contact/try');
  const panel = page.getByRole('region', { name: 'Try it' });
  const stamped = (text) => panel.getByRole('status').getByText(text, { exact: true }).waitFor();

  await panel.getByRole('button', { name: 'Send', exact: true }).click();
  await stamped('Accepted');
  await panel.getByRole('button', { name: 'Send again with the same key' }).click();
  await stamped('Replay');
  await panel.getByLabel('Message').fill('Another thought');
  await panel.getByRole('button', { name: 'Send again with the same key' }).click();
  await stamped('Conflict');

  await assertAccessible(page);
  await panel.getByRole('link', { name: 'See it in the inbox' }).click();
  await page.getByRole('region', { name: 'The open submission' }).getByText('Please call me back').waitFor();
  assert.deepEqual(page.complaints, []);
});

test('settings that somebody else changed meanwhile are not overwritten unawares', async (t) => {
  const page = await openDashboard(t, ada, '/endpoints/acme-contact/settings');
  await heading(page, 'Contact form').waitFor();
  const other = await page.context().newPage();
  await other.goto(page.url());

  for (const [tab, name] of [[other, 'Theirs'], [page, 'Mine']]) {
    await tab.getByLabel('Name', { exact: true }).fill(name);
    await press(tab, 'Save the settings');
    if (tab === other) await heading(tab, 'Theirs').waitFor();
  }

  await page.getByText('Somebody else changed this').waitFor();
  await press(page, 'Keep mine');
  await page.getByText('Save again').waitFor();
  await press(page, 'Save the settings');
  await heading(page, 'Mine').waitFor();
});

test('fields are drafted and published, and refuse what does not fit', async (t) => {
  const page = await openDashboard(t, ada, '/endpoints/acme-contact/fields');
  await press(page, 'Add a field');
  await page.getByLabel('Key').fill('email');
  await page.getByLabel('Type').selectOption('email');
  await page.getByLabel('Label').fill('E-mail');
  await page.getByLabel('Required').check();
  await press(page, 'Save the draft');
  await press(page, 'Publish the saved draft');
  await press(page, 'Publish it');
  await page.getByText('Published as version 1').waitFor();

  const refused = await fetch(`${stage.service.url}/f/acme-contact`, {
    method: 'POST',
    body: new URLSearchParams({ name: 'Nobody' }),
    headers: { Accept: 'application/json' },
  });
  assert.equal(refused.status, 422);
});

test('a key is shown once, works, and ends when it is revoked', async (t) => {
  const page = await openDashboard(t, ada, '/api-keys');
  const ask = (key) => fetch(`${stage.service.url}/api/v1/endpoints`, { headers: { Authorization: `Bearer ${key}` } });

  await page.getByLabel('Name', { exact: true }).fill('Site builder');
  await page.getByLabel('endpoints:read').check();
  await press(page, 'Make the key');
  const key = await page.getByRole('region', { name: 'The key Site builder' }).innerText();
  assert.equal((await ask(key)).status, 200);

  await page.reload();
  await heading(page, 'Site builder').waitFor();
  assert.equal(await page.getByText(key).count(), 0);
  await press(page, 'Revoke: Site builder');
  await press(page, 'Revoke it');
  await page.getByText('No key yet').waitFor();
  assert.equal((await ask(key)).status, 401);
});

test('an invitation is accepted by its mail, and the role decides what is shown', async (t) => {
  const page = await openDashboard(t, ada, '/members');
  const confirm = await openPage(t, stage.browser);
  await confirm.goto(await linkOfMail(stage.service, ada, '/dashboard/verify'));
  assert.equal(new URL(confirm.url()).search, '', 'the token left the address');
  await press(confirm, 'Confirm it');
  await confirm.getByText('Your address is confirmed').waitFor();

  await page.reload();
  await page.getByLabel('E-mail', { exact: true }).fill(grace);
  await page.getByLabel('Role', { exact: true }).selectOption('viewer');
  await press(page, 'Send the invitation');
  await page.getByRole('list', { name: 'Open invitations' }).getByText(grace).waitFor();

  const invited = await openPage(t, stage.browser);
  await invited.goto(await linkOfMail(stage.service, grace, '/dashboard/invitation'));
  await invited.getByText('Acme').waitFor();
  await assertAccessible(invited);
  await invited.getByLabel('Your name').fill('Grace Hopper');
  await invited.getByLabel('Choose a password').fill(password);
  await press(invited, 'Accept the invitation');
  await heading(invited, 'Inbox').waitFor();

  assert.equal(await main(invited).getByRole('link', { name: 'API keys' }).count(), 0);
  await invited.goto(`${stage.service.url}/dashboard/api-keys`);
  await invited.getByText('Your role does not open the API keys').waitFor();
  await assertAccessible(invited);
  assert.deepEqual([...invited.complaints, ...confirm.complaints, ...page.complaints], []);
});

test('a forgotten password is replaced by the link of a mail', async (t) => {
  const page = await openPage(t, stage.browser);
  await page.goto(`${stage.service.url}/dashboard/forgotten`);
  await page.getByLabel('E-mail').fill(grace);
  await press(page, 'Send the link');
  await page.getByText('the mail is on its way').waitFor();

  await page.goto(await linkOfMail(stage.service, grace, '/dashboard/reset'));
  await page.getByLabel('New password').fill(password);
  await press(page, 'Change the password');
  await page.getByRole('link', { name: 'Sign in with the new one' }).click();
  await signIn(page, grace);
  await heading(page, 'Inbox').waitFor();
});

test('a second step guards the sign-in, and leads back to where somebody wanted to go', async (t) => {
  const page = await openDashboard(t, grace, '/account');
  await press(page, 'Set it up');
  const secret = await page.getByRole('region', { name: 'Secret' }).innerText();
  await page.getByLabel('Code').fill(totp(secret));
  await press(page, 'Switch it on');
  const codes = await page.getByRole('region', { name: 'Each of these recovery codes' }).innerText();
  assert.ok(codes.split('\n').length >= 8);

  await press(page, 'Sign out');
  await heading(page, 'Sign in').waitFor();
  await page.goto(`${stage.service.url}/dashboard/members`);
  await signIn(page, grace);
  await heading(page, 'Second step').waitFor();
  await assertAccessible(page);
  await page.getByLabel('Code').fill(totp(secret, 1));
  await press(page, 'Go on');
  await heading(page, 'Members').waitFor();
  assert.deepEqual(page.complaints, []);
});

test('signing in needs no mouse', async (t) => {
  const page = await openPage(t, stage.browser);
  await page.goto(`${stage.service.url}/dashboard/`);
  await heading(page, 'Sign in').waitFor();

  for (const text of [ada, password]) {
    while (!(await page.evaluate(() => document.activeElement?.matches('input')))) await page.keyboard.press('Tab');
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await heading(page, 'Inbox').waitFor();

  await page.reload();
  await heading(page, 'Inbox').waitFor();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Go to the content');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'main');
});

const screens = ['/inbox', '/endpoints', '/endpoints/acme-contact', '/endpoints/acme-contact/fields', '/endpoints/acme-contact/settings', '/members', '/api-keys', '/audit-log', '/tenant', '/account'];
const doors = ['/sign-in', '/sign-up', '/forgotten', '/reset', '/verify', '/invitation', '/email', '/nowhere'];

for (const colorScheme of ['light', 'dark']) {
  test(`every screen is accessible and fits a phone, ${colorScheme}`, async (t) => {
    const stranger = await openPage(t, stage.browser, { colorScheme, reducedMotion: 'reduce' });
    await visit(stranger, doors, colorScheme);

    const page = await openDashboard(t, ada, '/inbox', { colorScheme });
    await heading(page, 'Inbox').waitFor();
    await visit(page, screens, colorScheme);

    await page.goto(`${stage.service.url}/dashboard/inbox`);
    await page.getByRole('list', { name: 'Submissions' }).getByRole('link').first().click();
    await page.getByRole('region', { name: 'The open submission' }).getByText('Received').first().waitFor();
    await assertFine(page, colorScheme);
    assert.deepEqual([...page.complaints, ...stranger.complaints], []);
  });
}

async function visit(page, paths, colorScheme) {
  for (const path of paths) {
    await page.goto(`${stage.service.url}/dashboard${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForFunction(() => !document.body.innerText.includes('Loading'));
    await assertFine(page, colorScheme);
  }
}

// Axe takes its time: it looks at light screens as they are on a desk, and at dark ones as they are in a hand.
async function assertFine(page, colorScheme) {
  if (colorScheme === 'light') await assertAccessible(page);

  await page.setViewportSize({ width: 360, height: 740 });
  const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok(wide <= room, `${page.url()} is ${wide} wide on a screen of ${room}`);

  if (colorScheme === 'dark') await assertAccessible(page);
  await page.setViewportSize({ width: 1280, height: 800 });
}
