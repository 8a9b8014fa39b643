/** Objects that mark folders: their names end with a slash, and what is done to them leaves the folder as it is. */
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { after, before, beforeEach, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { setStage } from './support/page.js';
import { readZip } from './support/zip.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

describe('objects that mark folders, in Chromium', { skip: needsChromium }, () => {
  let stage: Stage;
  let page: Page;
  const at = { repository: 'lakes', branch: 'main' };
  before(async () => {
    stage = await setStage();
    ({ page } = stage);
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
  });
  beforeEach(async () => {
    for (const path of ['dir/', 'dir/a', 'dir/b']) await stage.client.uploadObject({ ...at, path, body: `text of ${path}` });
  });
  after(() => stage?.close());

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const tick = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
  const paths = async () => (await stage.client.listObjects({ repository: 'lakes', ref: 'main' })).results.map(({ path }) => path);
  const confirm = async (action: string): Promise<void> => {
    await button(action).click();
    await dialog().waitFor({ state: 'detached' });
  };
  const zipped = async (): Promise<readonly string[]> => {
    const downloading = page.waitForEvent('download');
    await button('Download as zip').click();
    return [...readZip(await buffer(await (await downloading).createReadStream())).values()];
  };

  it('is opened from the row that has its name', async () => {
    await stage.open('repositories/lakes/objects?path=dir/');
    await page.getByRole('row').getByRole('link', { name: 'dir/', exact: true }).click();
    await page.getByText('text of dir/').waitFor();
    await stage.check('folder-marker');
  });

  it('a ticked one is downloaded and deleted alone', async () => {
    await stage.open('repositories/lakes/objects?path=dir/');
    await tick('dir/');
    assert.deepEqual(await zipped(), ['text of dir/']);
    await button('Delete').click();
    assert.equal(await dialog().getByText('Folders are deleted with everything below them.').count(), 0);
    await confirm('Yes, delete');
    assert.deepEqual(await paths(), ['dir/a', 'dir/b']);
  });

  it('a ticked folder is downloaded and deleted with its marker', async () => {
    await stage.open('repositories/lakes/objects');
    await tick('dir/');
    assert.deepEqual(await zipped(), ['text of dir/', 'text of dir/a', 'text of dir/b']);
    await button('Delete').click();
    await dialog().getByText('Folders are deleted with everything below them.').waitFor();
    await confirm('Yes, delete');
    assert.deepEqual(await paths(), []);
  });

  it('one that a pattern finds is not ticked with the folder, and is deleted alone', async () => {
    await stage.open('repositories/lakes/objects');
    await tick('dir/');
    await page.getByRole('searchbox', { name: 'Find in this folder' }).fill('dir/**');
    await page.getByText('3 of 3 objects match').waitFor();
    assert.equal(await page.getByRole('checkbox', { name: 'Select dir/', exact: true }).isChecked(), false);
    await tick('dir/');
    await page.getByText('2 items selected').waitFor();
    assert.deepEqual(await zipped(), ['text of dir/', 'text of dir/a', 'text of dir/b']);
    await button('Clear selection').click();
    await tick('dir/');
    await button('Delete').click();
    await confirm('Yes, delete');
    assert.deepEqual(await paths(), ['dir/a', 'dir/b']);
  });

  it('the change of one is reverted alone, that of a folder with all below it', async () => {
    await stage.open('repositories/lakes/objects?path=dir/&showChanges=true');
    await button('Revert dir/').click();
    await dialog().getByText('Uncommitted changes of the object dir/').waitFor();
    await confirm('Yes, revert');
    assert.deepEqual(await paths(), ['dir/a', 'dir/b']);
    await stage.open('repositories/lakes/objects?showChanges=true');
    await button('Revert dir/').click();
    await dialog().getByText('Uncommitted changes of all objects below dir/').waitFor();
    await confirm('Yes, revert');
    assert.deepEqual(await paths(), []);
  });
});
