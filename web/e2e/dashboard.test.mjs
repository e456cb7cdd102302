// The dashboard's start page against the service that it comes with.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible, openPage } from './harness/browser.mjs';
import { setStage } from './harness/stage.mjs';

const stage = setStage();

for (const colorScheme of ['light', 'dark']) {
  test(`the panel to try it shows a receipt, a replay and a conflict, and is accessible, ${colorScheme}`, async (t) => {
    const endpoint = await stage.service.endpoint();
    const page = await openPage(t, stage.browser, { colorScheme });
    const panel = page.getByRole('region', { name: 'Try it' });
    const press = (name) => panel.getByRole('button', { name, exact: true }).click();
    const stamped = (text) => panel.getByRole('status').getByText(text, { exact: true }).waitFor();

    await page.goto(`${stage.service.url}/dashboard/`);
    await panel.getByLabel('Endpoint').fill(endpoint.id);
    await press('Send');
    await stamped('Accepted');
    await press('Send again with the same key');
    await stamped('Replay');
    await panel.getByLabel('Message').fill('Another thought');
    await press('Send again with the same key');
    await stamped('Conflict');

    const [stored, ...others] = await stage.service.submissions(endpoint);
    assert.deepEqual(others, []);
    assert.equal(stored.replay_count, 1);
    assert.deepEqual(page.complaints, []);
    await assertAccessible(page);
  });
}

test('the root of the service leads to the dashboard', async (t) => {
  const page = await openPage(t, stage.browser);
  await page.goto(`${stage.service.url}/`);

  assert.equal(page.url(), `${stage.service.url}/dashboard/`);
  assert.deepEqual(page.complaints, []);
});
