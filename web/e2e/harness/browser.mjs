// A real Chromium, and a page in it that remembers whatever went wrong.
import assert from 'node:assert/strict';
import { accessSync, constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const applications = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium'];

// As root Chromium needs --no-sandbox; the rest keeps it from calling anybody but the pages under test.
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** Starts Chromium: the one of the variable CHROMIUM or CHROMIUM_BIN, else the first that is installed. */
export function startBrowser() {
  return chromium.launch({ executablePath: executable(), args: flags });
}

function executable() {
  const chosen = process.env.CHROMIUM || process.env.CHROMIUM_BIN;
  if (chosen) return chosen;

  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const candidates = [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...applications];
  const found = candidates.find(canRun);
  if (!found) throw new Error('No Chromium is installed. Run `make test`, which installs it, or name one in CHROMIUM.');

  return found;
}

function canRun(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * A page of a fresh visitor, closed at the end of the test. `page.complaints` are the errors that the browser reported,
 * such as a script that threw or something that a policy blocked.
 */
export async function openPage(t, browser, options = {}) {
  const context = await browser.newContext(options);
  t.after(() => context.close());

  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  page.complaints = [];
  page.on('pageerror', (error) => page.complaints.push(error.message));
  page.on('console', (message) => {
    // That an answer has the status of an error is the point of many tests.
    const expected = message.text().startsWith('Failed to load resource: the server responded with a status of');
    if (message.type() === 'error' && !expected) page.complaints.push(message.text());
  });

  return page;
}

/** Asserts that axe finds nothing to object to on the page as it stands. */
export async function assertAccessible(page) {
  const axe = await readFile(join(import.meta.dirname, '../node_modules/axe-core/axe.min.js'), 'utf8');
  await page.evaluate(axe);

  const violations = await page.evaluate(async () => {
    const results = await globalThis.axe.run(document);
    return results.violations.map(({ id, help, nodes }) => ({ id, help, where: nodes.map(({ target }) => target.join(' ')) }));
  });

  assert.deepEqual(violations, [], `axe objects to ${page.url()}`);
}
