// What a test file with a browser plays on: a service, the customers' sites, and Chromium, for as long as the file runs.
import { after, before } from 'node:test';
import { startBrowser } from './browser.mjs';
import { startService } from './service.mjs';
import { startSite } from './site.mjs';

/** Starts the three before the first test of the file and stops them after the last. They are there within the tests. */
export function setStage(settings) {
  const stage = {};

  before(async () => {
    stage.service = await startService(settings);
    stage.site = await startSite();
    stage.browser = await startBrowser();
  });
  after(async () => {
    await stage.browser?.close();
    stage.site?.stop();
    await stage.service?.stop();
  });

  return stage;
}
