// What people do at the dashboard: they sign in, read their mail, and look at the app that shows codes.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';

export const password = 'a sentence to remember';

/** Signs up in a page of a fresh visitor, who is at the endpoints of their new tenant afterwards. */
export async function signUp(page, url, { tenant, email }) {
  await page.goto(`${url}/dashboard/sign-up`);
  await page.getByLabel('Name of the tenant').fill(tenant);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByRole('heading', { name: 'Endpoints' }).waitFor();
}

/** Fills in the form of sign-in, wherever in the dashboard the page is asked for it. */
export async function signIn(page, email) {
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/**
 * The link to a page of the dashboard in the newest mail to somebody; without a mail server the program shows its mails.
 * Some are written a moment after the answer, so that it is looked for more than once.
 */
export async function linkOfMail(service, to, path) {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline; ) {
    const { data } = await service.command('mail', 'list', '--json');

    for (const { id } of data.filter((mail) => mail.to === to)) {
      const { link } = await service.command('mail', 'show', id, '--json');
      if (link.includes(path)) return link;
    }
  }

  return assert.fail(`no mail with a link to ${path} for ${to}`);
}

/** The code that an app shows now for a secret in base32 (RFC 6238: SHA-1, six digits, 30 seconds), or a later one. */
export function totp(secret, later = 0) {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret.replace(/\s|=/g, '').toUpperCase()].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));

  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + later));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = digest[19] & 15;

  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
