/** Conflicts of objects that one side has and the other does not. */
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
});
