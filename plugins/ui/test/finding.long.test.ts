/** Objects found by patterns, in the view of objects and in the palette. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { setStage } from './support/page.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

describe('finding objects by patterns, in Chromium', { skip: needsChromium }, () => {
  let stage: Stage;
  let page: Page;
  before(async () => {
    stage = await setStage();
    ({ page } = stage);
    const at = { repository: 'lakes', branch: 'main' };
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    for (const path of ['top.csv', 'a/one.csv', 'a/b/two.csv', 'a/b/three.txt', 'c/four.csv', 'c/*odd?.csv'])
      await stage.client.uploadObject({ ...at, path, body: 'x\n1\n' });
    await stage.client.commit({ ...at, body: { message: 'Files' } });
  });
  after(() => stage?.close());

  const names = async (): Promise<readonly string[]> =>
    (await page.locator('.objects-row .cell-name a').allInnerTexts()).map(text => text.trim());
  const field = () => page.getByRole('searchbox', { name: 'Find in this folder' });

  it('a pattern finds objects in all folders below, and the address keeps it', async () => {
    await stage.open('repositories/lakes/objects');
    await field().fill('*.csv');
    await eventually(names, ['a/b/two.csv', 'a/one.csv', 'c/*odd?.csv', 'c/four.csv', 'top.csv']);
    await page.getByText('5 of 6 objects match “*.csv”').waitFor();
    await eventually(() => new URL(page.url()).searchParams.get('filter'), '*.csv');
    await stage.check('found-objects');
    // They are rows like others: ticked, with menus, with their last commit.
    await page.getByRole('checkbox', { name: 'Select a/b/two.csv' }).check();
    await page.getByText('1 item selected').waitFor();
    await page.getByRole('row').filter({ hasText: 'a/one.csv' }).getByRole('link', { name: 'Files' }).waitFor();
    await page.getByRole('link', { name: 'a/b/two.csv' }).click();
    await page.getByRole('region', { name: 'Content of a/b/two.csv' }).waitFor();
    await page.goBack();
    await eventually(names, ['a/b/two.csv', 'a/one.csv', 'c/*odd?.csv', 'c/four.csv', 'top.csv']);
    await field().fill('A/**/t*');
    await eventually(names, []);
    await page.getByRole('heading', { name: 'No object matches' }).waitFor();
    await field().fill('a/**/t*');
    await eventually(names, ['a/b/three.txt', 'a/b/two.csv']);
    await page.getByText('2 of 3 objects match').waitFor();
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await eventually(names, ['a/', 'c/', 'top.csv']);
  });

  it('a name that is not in the folder is searched below', async () => {
    await stage.open('repositories/lakes/objects?path=a/');
    await field().fill('two');
    await page.getByRole('button', { name: 'Search all folders below' }).click();
    await eventually(names, ['b/two.csv']);
    assert.equal(await field().inputValue(), '*two*');
  });

  it('the palette leads to what a pattern finds', async () => {
    await stage.open('repositories/lakes/objects');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('**/t*.csv');
    await page.getByRole('option', { name: 'a/b/two.csv' }).waitFor();
    assert.equal(await page.getByRole('option', { name: 'three.txt' }).count(), 0);
    await page.getByRole('option', { name: 'All objects like **/t*.csv' }).click();
    await eventually(names, ['a/b/two.csv', 'top.csv']);
    assert.equal(await field().inputValue(), '**/t*.csv');
  });

  it('a pattern that is too long is refused with the reason', async () => {
    await stage.open(`repositories/lakes/objects?filter=${'*'.repeat(201)}`);
    await page.getByText(/it is longer than 200 characters/).waitFor();
  });
});
