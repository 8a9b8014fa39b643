/** The page in a real browser, in front of a real server. */
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { setStage } from './support/page.js';
import { readZip } from './support/zip.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

describe('the page in Chromium', { skip: needsChromium }, () => {
  let stage: Stage;
  let page: Page;
  before(async () => {
    stage = await setStage();
    ({ page } = stage);
  });
  after(() => stage?.close());

  const put = (branch: string, path: string, body: string | Buffer) =>
    stage.client.uploadObject({ repository: 'lakes', branch, path, body });
  const commit = (branch: string, message: string) => stage.client.commit({ repository: 'lakes', branch, body: { message } });
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');

  it('welcomes, and creates a repository', async () => {
    await page.getByRole('heading', { name: /Welcome/ }).waitFor();
    await stage.check('welcome');
    await button('Create Repository').click();
    await page.getByLabel('Repository ID').fill('No Such Name');
    await page.getByText('Lower-case letters').waitFor();
    await page.getByLabel('Repository ID').fill('lakes');
    await stage.check('create-repository');
    await dialog().getByRole('button', { name: 'Create Repository' }).click();
    await page.getByRole('heading', { name: 'Your repository is ready!' }).waitFor();
    await page.getByRole('link', { name: 'lakes', exact: true }).waitFor();
    await stage.check('empty-repository');
    assert.equal(await button('Uncommitted Changes').count(), 0);
  });

  it('uploads files, shows what is uncommitted, and commits it', async () => {
    await button('Upload').first().click();
    const files = [
      { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('first\n') },
      { name: 'b.csv', mimeType: 'text/csv', buffer: Buffer.from('id,name\n1,Baikal\n') },
    ];
    await dialog().getByLabel('Common Destination Directory').fill('data/');
    await dialog().locator('input[type=file][aria-label=Files]').setInputFiles(files);
    await dialog().getByText('data/a.txt').waitFor();
    await stage.check('upload');
    await dialog().getByRole('button', { name: 'Upload 2 Files' }).click();
    await page.getByRole('link', { name: 'data/', exact: true }).waitFor();
    await button('Uncommitted Changes').click();
    await page.getByText('Showing 2 changes for branch main').waitFor();
    await button('Expand All').click();
    await page.getByText('b.csv').waitFor();
    await stage.check('uncommitted');
    await button('Commit Changes').click();
    await button('Add Metadata field').click();
    await dialog().getByRole('button', { name: 'Commit Changes' }).click();
    await dialog().getByText('Key is required').first().waitFor();
    await dialog().getByLabel('Key 1').fill('source');
    await dialog().getByLabel('Value 1').fill('survey');
    await dialog().getByLabel('Commit Message').fill('Add the data');
    await stage.check('commit');
    const posted = page.waitForRequest(request => request.method() === 'POST' && request.url().endsWith('/branches/main/commits'));
    await dialog().getByRole('button', { name: 'Commit Changes' }).click();
    await posted;
    await button('Uncommitted Changes').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Commits' }).click();
    await page.getByRole('link', { name: 'Add the data' }).click();
    await page.getByText('survey').waitFor();
    await stage.check('commit-page');
  });

  it('browses folders and shows objects as what they are', async () => {
    await put('main', 'README.md', '# Lakes\n\nSee [the data](data/b.csv) and <script>document.title="owned"</script><b>more</b>.\n');
    await put('main', 'deep/er/run.py', 'def main():\n    return 42\n');
    await put('main', 'conf.json', '{"a":{"b":[1,2]}}');
    await put('main', 'blob.bin', Buffer.from(Array.from({ length: 5000 }, (_, i) => i % 256)));
    await commit('main', 'More objects');
    await stage.open('repositories/lakes/objects');
    await page.getByRole('heading', { name: 'Lakes', exact: true }).waitFor();
    await stage.check('objects');
    await eventually(() => page.locator('.prose b').textContent(), 'more');
    assert.equal(await page.locator('.prose').getByText('owned').count(), 0);
    await page.getByRole('link', { name: 'the data', exact: true }).click();
    await page.getByRole('columnheader', { name: 'name' }).waitFor();
    await page.getByRole('cell', { name: 'Baikal' }).waitFor();
    await stage.check('csv');
    await stage.open('repositories/lakes/objects');
    await page.getByRole('link', { name: 'deep/' }).click();
    await page.getByRole('link', { name: 'er/' }).click();
    await page.getByRole('link', { name: 'run.py' }).click();
    await page.getByText('return').waitFor();
    await stage.check('text');
    for (const [path, text] of [
      ['conf.json', '{1 member}'],
      ['blob.bin', '00000000  00 01 02'],
    ] as const) {
      await stage.open(`repositories/lakes/object?ref=main&path=${path}`);
      await page.getByText(text).first().waitFor();
      await stage.check(path);
    }
    assert.notEqual(await page.title(), 'owned');
  });

  it('creates a branch, compares it and merges it', async () => {
    await stage.open('repositories/lakes/branches');
    await button('Create Branch').click();
    await dialog().getByPlaceholder('Branch Name').fill('try');
    await stage.check('create-branch');
    await dialog().getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('link', { name: 'try' }).waitFor();
    await stage.check('branches');
    await put('try', 'data/a.txt', 'first\nsecond\n');
    await commit('try', 'Change the text');
    await page.getByRole('link', { name: 'Compare' }).click();
    await page.getByText("There isn't anything to compare").waitFor();
    await eventually(() => button('Merge').getAttribute('aria-disabled'), 'true');
    await button(/^Compared to branch: /).click();
    await page.getByRole('option').getByText('try', { exact: true }).click();
    await page.getByText('1 change', { exact: true }).waitFor();
    await button('Expand All').click();
    await button('Show object changes of a.txt').click();
    await page.getByText('1 line added').waitFor();
    await button('Side by side').click();
    await page.getByRole('cell', { name: 'second' }).waitFor();
    await stage.check('compare');
    await button('Merge').click();
    await dialog().getByLabel('Strategy').selectOption('source-wins');
    await dialog().getByPlaceholder('Commit Message (Optional)').fill('Take it');
    await stage.check('merge');
    await dialog().getByRole('button', { name: 'Merge' }).click();
    await page.getByText('No changes', { exact: true }).waitFor();
    await stage.open('repositories/lakes/commits?ref=main');
    await page.getByRole('link', { name: 'Take it' }).waitFor();
    await stage.check('commits');
  });

  it('settles conflicts path by path', async () => {
    const at = { repository: 'lakes' };
    await stage.client.createBranch({ ...at, body: { name: 'other', source: 'main' } });
    for (const [branch, text] of [
      ['main', 'ours'],
      ['other', 'theirs'],
    ] as const) {
      for (const path of ['c/1', 'c/2']) await put(branch, path, text);
      if (branch === 'other') await put(branch, 'c/3', 'new');
      await commit(branch, `c of ${branch}`);
    }
    await stage.open('repositories/lakes/compare?ref=main&compare=other');
    await button('Merge').click();
    await dialog().getByRole('button', { name: 'Merge' }).click();
    await dialog()
      .getByText(/^Conflict: both branches/)
      .waitFor();
    stage.complaintsAbout(/409/);
    await button('Settle them one by one').click();
    const choice = (path: string) => dialog().getByRole('group', { name: `Which ${path}` });
    await choice('c/1').getByRole('button', { name: 'other' }).click();
    await dialog().getByRole('button', { name: 'Compare c/2' }).click();
    await dialog().getByText('theirs').waitFor();
    await stage.check('conflicts');
    await eventually(() => button('Settle and merge').getAttribute('aria-disabled'), 'true');
    await choice('c/2').getByRole('button', { name: 'main' }).click();
    await button('Settle and merge').click();
    await page.getByText('No changes', { exact: true }).waitFor();
    const read = async (path: string): Promise<string> => {
      const { body } = await stage.client.getObject({ ...at, ref: 'main', path });
      return Buffer.concat(await body.toArray()).toString();
    };
    assert.deepEqual(await Promise.all(['c/1', 'c/2', 'c/3'].map(read)), ['theirs', 'ours', 'new']);
    await stage.open('repositories/lakes/commits?ref=main');
  });

  it('tags, reverts and deletes', async () => {
    await button(/^Actions for commit/)
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Create tag here' }).click();
    await dialog().getByPlaceholder('Tag Name').fill('v1');
    await dialog().getByRole('button', { name: 'Create', exact: true }).click();
    await stage.open('repositories/lakes/tags');
    await page.getByRole('link', { name: 'v1' }).waitFor();
    await stage.check('tags');
    await stage.open('repositories/lakes/commits?ref=try');
    await button('Revert').click();
    await page.getByRole('checkbox', { name: 'Revert Change the text' }).check();
    await button('Continue (1)').click();
    await dialog().getByText('Commits to Revert (in order)').waitFor();
    await stage.check('revert');
    await dialog().getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('link', { name: /^Revert/ }).waitFor();
    await stage.open('repositories/lakes/objects?ref=try');
    await page.getByLabel('Select data/').check();
    await page.getByLabel('Select conf.json').check();
    await page.getByText('2 items selected').waitFor();
    const downloading = page.waitForEvent('download');
    await button('Download as zip').click();
    const archive = await buffer(await (await downloading).createReadStream());
    assert.deepEqual([...readZip(archive).keys()], ['conf.json', 'data/a.txt', 'data/b.csv']);
    await button('Delete').click();
    await stage.check('bulk-delete');
    await button('Yes, delete').click();
    await page.getByText('Deleted 3 objects').waitFor();
    await button('Uncommitted Changes').waitFor();
    assert.deepEqual(
      (await stage.client.diffBranch({ repository: 'lakes', branch: 'try' })).results.map(({ type, path }) => [type, path]),
      [
        ['removed', 'conf.json'],
        ['removed', 'data/a.txt'],
        ['removed', 'data/b.csv'],
      ],
    );
    await stage.check('removed');
  });

  it('jumps by a few letters, and gives each view as a command', async () => {
    await stage.open('repositories/lakes/objects?ref=main');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('dat');
    await page.getByRole('option', { name: /data\/.*folder/ }).waitFor();
    await stage.check('palette');
    await page.keyboard.press('Escape');
    await stage.open('repositories/lakes/objects?ref=main&path=data/');
    await button('Copy as command').click();
    await page.getByRole('menuitem', { name: 'Copy as CLI' }).click();
    await page.getByText('Copied CLI').waitFor();
    await eventually(() => page.evaluate('navigator.clipboard.readText()'), 'cli fs ls srv://lakes/main/data/');
    await page.keyboard.press('?');
    await dialog().getByText('Next and previous row').waitFor();
    await stage.check('keys');
    await page.keyboard.press('Escape');
    // Until it is closed, keys are its own.
    await dialog().waitFor({ state: 'hidden' });
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/path=data%2Fb\.csv/);
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.getByRole('link', { name: 'v1' }).waitFor();
    // The first key of a pair, before the view it is pressed in has made way for the next.
    await page.evaluate(`[...document.links].find(link => link.textContent === 'Commits').click();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'g', bubbles: true }));`);
    await page.getByRole('link', { name: 'Add the data' }).waitFor();
    await page.keyboard.press('b');
    await page.getByRole('link', { name: 'try' }).waitFor();
    await stage.open('repositories/lakes/settings');
    await page.getByRole('heading', { name: 'General' }).waitFor();
    await page.getByRole('definition').getByText('local://lakes').waitFor();
    await stage.check('settings');
  });
});
