/** Page parts of plugins: what the page loads of them, and when. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { setStage } from './support/page.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

describe('page parts in Chromium', { skip: needsChromium }, () => {
  let stage: Stage;
  let page: Page;
  /** Files of parts. */
  let loaded: string[] = [];
  before(async () => {
    stage = await setStage({ plugins: ['owners', 'crooked'].map(name => `../plugins/ui/test/fixtures/${name}`) });
    ({ page } = stage);
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    page.on('request', request => {
      const [, file] = /\/assets\/([a-z-]+\/.*)$/.exec(request.url()) ?? [];
      if (file !== undefined) loaded.push(file);
    });
  });
  after(() => stage?.close());

  it('load nothing until what they add to is drawn', async () => {
    await stage.open('repositories');
    await page.getByText(/^The page part of plugin crooked does not work: /).waitFor();
    assert.deepEqual(loaded, []);
    await stage.open('repositories/lakes/branches');
    // Branches say whether they can be changed.
    await eventually(() => loaded, ['owners/guard.js']);
    await page.getByRole('link', { name: 'Owners' }).click();
    await page.getByText('lakes at main belongs to everybody').waitFor();
    assert.deepEqual(loaded, ['owners/guard.js', 'owners/tab.js', 'owners/tab.css']);
    await eventually(() => page.evaluate("getComputedStyle(document.querySelector('.owner')).textAlign"), 'right');
    await stage.check('part-tab');
    loaded = [];
  });

  it('add to what is there', async () => {
    await stage.open('repositories/lakes/objects');
    await page.getByRole('button', { name: 'Ask the owner' }).click();
    await page.getByRole('dialog').getByText('Who owns main?').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await stage.client.createBranch({ repository: 'lakes', body: { name: 'owned', source: 'main' } });
    await stage.open('repositories/lakes/objects?ref=owned');
    await page.getByText('Owned', { exact: true }).waitFor();
    await eventually(() => page.getByRole('button', { name: 'Upload', exact: true }).getAttribute('title'), 'ann owns the branch');
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.waitForURL(/\/lakes\/owners/);
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('g o').waitFor();
    await page.getByRole('dialog').getByText('Owners').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('owne');
    await page.getByRole('option', { name: /^Owners/ }).waitFor();
  });
});
