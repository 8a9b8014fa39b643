/** Search in a browser, in front of a real server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@srv/engine/client';
import { needsChromium } from '@srv/test-servers/chromium';
import { isDenied, setPageStage, viewerPage } from '@srv/test-servers/page-stage';
import type { Client } from '@srv/lib-api/client';
import type { Page } from '@srv/test-servers/chromium';
import type { PageStage } from '@srv/test-servers/page-stage';

describe('search in Chromium', { skip: needsChromium }, () => {
  let stage: PageStage<Client>;
  let page: Page;
  before(async () => {
    stage = await setPageStage({ plugins: ['search'], config: { 'auth.ui_config.rbac': 'internal' } }, ({ url, key }) =>
      createClient({ endpointUrl: url, ...key }),
    );
    ({ page } = stage);
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    const at = { repository: 'lakes', branch: 'main' };
    await stage.client.uploadObject({ ...at, path: 'a/b/c/hidden-needle.txt', body: 'the needle' });
    await stage.client.commit({ ...at, body: { message: 'Needle' } });
  });
  after(() => stage?.close());

  it('is switched on, shows what is indexed, and is switched off', async () => {
    await stage.open('repositories/lakes/settings/search');
    await page.getByText('No branch is indexed').waitFor();
    const change = async (patterns: string): Promise<void> => {
      await page.getByRole('button', { name: 'Change' }).click();
      await page.getByRole('dialog').getByLabel('Patterns').fill(patterns);
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    };
    await change('ma* release-*');
    await page.getByText('indexed', { exact: true }).waitFor();
    await stage.check('search');
    // The palette finds what is deep in folders.
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('hidden-needle');
    await page.getByRole('option', { name: 'a/b/c/hidden-needle.txt' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('the needle').waitFor();
    await stage.open('repositories/lakes/settings/search');
    await change('');
    await page.getByText('No branch is indexed').waitFor();
  });

  it('does not replace patterns that were set meanwhile', async () => {
    const search = stage.srv.kernel.services.get('search');
    await stage.client.createRepository({ body: { name: 'shared', storage_namespace: 'local://shared' } });
    await stage.open('repositories/shared/settings/search');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('Patterns').fill('dev');
    await search.setSettings('shared', { branches: ['main'] });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/another change was made meanwhile/).waitFor();
    assert.equal(await dialog.getByLabel('Patterns').inputValue(), 'dev');
    assert.deepEqual((await search.settings('shared')).branches, ['main']);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('indexed', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Change' }).click();
    assert.equal(await dialog.getByLabel('Patterns').inputValue(), 'main');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    stage.complaintsAbout(/412/);
  });

  it('is changed by those who may change the repository', async () => {
    const viewer = await viewerPage(stage, 'vera');
    await viewer.goto(`${stage.srv.url}/repositories/lakes/settings/search`);
    for (const name of ['Rebuild', 'Change']) await isDenied(viewer, name, 'fs:UpdateRepository');
    await viewer.context().close();
  });
});
