// Passkeys need a name in place of a bare address, so that this service is reached as localhost.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import { openPage } from './harness/browser.mjs';
import { signUp } from './harness/people.mjs';
import { setStage } from './harness/stage.mjs';

const port = await freePort();
const url = `http://localhost:${port}`;
const stage = setStage({ LISTEN_ADDR: `127.0.0.1:${port}`, PUBLIC_URL: url });

test('a passkey that is added to the account signs in without a password', async (t) => {
  const page = await openPage(t, stage.browser, { reducedMotion: 'reduce' });
  await plugInAuthenticator(page);
  await signUp(page, url, { tenant: 'Acme', email: 'ada@acme.example' });

  await page.goto(`${url}/dashboard/account`);
  await page.getByLabel('Name of the passkey').fill('My phone');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('My phone', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('heading', { name: 'Inbox', exact: true }).waitFor();
  assert.deepEqual(page.complaints, []);
});

// Stands in for a phone or a key of hardware: it knows its owner, and agrees to everything.
async function plugInAuthenticator(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: found } = server.address();
  server.close();
  await once(server, 'close');

  return found;
}
