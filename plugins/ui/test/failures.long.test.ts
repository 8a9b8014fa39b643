/** What the page does while the server refuses, does not answer, or breaks off its answer. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { setStage } from './support/page.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

describe('failures in Chromium', { skip: needsChromium }, () => {
  let stage: Stage;
  let page: Page;
  before(async () => {
    stage = await setStage();
    ({ page } = stage);
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
  });
  after(() => stage?.close());

  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');
  const isTags = (url: URL): boolean => url.pathname === '/api/v1/repositories/lakes/tags';

  it('another attempt says that it is under way, and is not begun twice', async () => {
    const held: { abort(): Promise<void>; continue(): Promise<void> }[] = [];
    let isDown = true;
    await page.route(isTags, route => (isDown ? route.abort() : void held.push(route)));
    await stage.open('repositories/lakes/tags');
    await button('Try again').waitFor();
    isDown = false;
    await button('Try again').click();
    const busy = button('Trying again');
    await eventually(() => busy.getAttribute('aria-disabled'), 'true');
    await eventually(() => held.length, 1);
    await busy.click({ force: true });
    await busy.press('Enter');
    // An attempt that fails leaves the button for the next one.
    await held[0]?.abort();
    await button('Try again').click();
    await eventually(() => held.length, 2);
    await held[1]?.continue();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    assert.equal(held.length, 2);
    await page.unroute(isTags);
    stage.complaintsAbout(/ERR_FAILED/);
  });
});
