/** Conflicts of objects that one side has and the other does not. */
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { setStage } from './support/page.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

const at = { repository: 'lakes' };

describe('conflicts in Chromium', { skip: needsChromium }, () => {
  let stage: Stage;
  let page: Page;
  before(async () => {
    stage = await setStage();
    ({ page } = stage);
    const { client } = stage;
    await client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    const put = (branch: string, path: string, body: string) => client.uploadObject({ ...at, branch, path, body });
    const commit = (branch: string) => client.commit({ ...at, branch, body: { message: `tables of ${branch}` } });
    await put('main', 'deep.csv', 'id,name\n1,Baikal\n');
    await commit('main');
    await client.createBranch({ ...at, body: { name: 'other', source: 'main' } });
    await put('main', 'deep.csv', 'id,name\n1,Tanganyika\n');
    await put('main', 'new.csv', 'id,name\n7,Titicaca\n');
    await commit('main');
    await client.deleteObject({ ...at, branch: 'other', path: 'deep.csv' });
    await put('other', 'new.csv', 'id,name\n8,Ladoga\n');
    await put('other', 'late.txt', 'other\n');
    await commit('other');
  });
  after(() => stage?.close());

  const dialog = () => page.getByRole('dialog');

  it('shows all rows of a table as removed where one side has removed it', async () => {
    await stage.open('repositories/lakes/compare?ref=main&compare=other');
    await page
      .getByRole('button', { name: /deep\.csv/ })
      .first()
      .click();
    await page.getByText('all rows removed').waitFor();
    // The comparison is with the common base.
    await page.getByText('Baikal').waitFor();
    stage.complaintsAbout(/404/);
    await stage.check('conflict-removed-table');
  });

  it('shows the same where conflicts are settled, and all rows as added where the base lacks the table', async () => {
    await stage.open('repositories/lakes/compare?ref=main&compare=other');
    await page.getByRole('button', { name: 'Merge' }).click();
    await dialog().getByLabel('Commit Message').fill('lakes of both');
    await dialog().getByLabel('Squash').check();
    await dialog().getByRole('button', { name: 'Add Metadata field' }).click();
    await dialog().getByLabel('Key 1').fill('ticket');
    await dialog().getByLabel('Value 1').fill('7');
    await dialog().getByRole('button', { name: 'Merge' }).click();
    await page.getByRole('button', { name: 'Settle them one by one' }).click();
    stage.complaintsAbout(/404|409/);
    await dialog().getByRole('button', { name: 'Compare deep.csv' }).click();
    await dialog().getByText('all rows removed').waitFor();
    await dialog().getByText('Tanganyika').waitFor();
    await dialog().getByRole('button', { name: 'What other changed' }).click();
    await dialog().getByText('all rows removed').waitFor();
    await dialog().getByText('Baikal').waitFor();
    await dialog().getByRole('button', { name: 'Compare deep.csv' }).click();
    await dialog().getByRole('button', { name: 'Compare new.csv' }).click();
    await dialog().getByRole('button', { name: 'What other changed' }).click();
    await dialog().getByText('all rows added').waitFor();
    await dialog().getByText('Ladoga').waitFor();
    stage.complaintsAbout(/404/);
  });

  it('lists the conflicts again when the destination has others by now, and merges once they are settled, too', async () => {
    const choose = (path: string, side: string) =>
      dialog()
        .getByRole('group', { name: `Which ${path}` })
        .getByRole('button', { name: side })
        .click();
    const settle = dialog().getByRole('button', { name: 'Settle and merge' });
    await choose('deep.csv', 'main');
    await choose('new.csv', 'other');
    await stage.client.uploadObject({ ...at, branch: 'main', path: 'late.txt', body: 'main\n' });
    await stage.client.commit({ ...at, branch: 'main', body: { message: 'late' } });
    await settle.click();
    await dialog()
      .getByText(/^“main” has changed since the conflicts were listed/)
      .waitFor();
    stage.complaintsAbout(/409/);
    await dialog().getByRole('group', { name: 'Which late.txt' }).waitFor();
    assert.equal(
      await dialog()
        .getByRole('group', { name: /^Which/ })
        .count(),
      1,
    );
    await choose('late.txt', 'main');
    await settle.click();
    await page.getByText('No changes', { exact: true }).waitFor();
    const { results } = await stage.client.logCommits({ ...at, ref: 'main', amount: 1 });
    const [head] = results;
    assert.deepEqual([head?.message, head?.metadata?.['ticket'], head?.parents.length], ['lakes of both', '7', 1]);
    const read = async (path: string) => text((await stage.client.getObject({ ...at, ref: 'main', path })).body);
    assert.deepEqual(await Promise.all(['deep.csv', 'new.csv', 'late.txt'].map(read)), [
      'id,name\n1,Tanganyika\n',
      'id,name\n8,Ladoga\n',
      'main\n',
    ]);
  });
});
