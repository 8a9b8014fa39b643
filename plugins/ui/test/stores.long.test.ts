/** A server with several block stores: each repository is shown by what its own store can do. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { setStage } from './support/page.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

describe('the page with several block stores', { skip: needsChromium }, () => {
  let stage: Stage;
  let page: Page;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'srv-page-stores-'));
    const single = ['blockstore.local.path', 'blockstore.local.import_enabled', 'blockstore.local.allowed_external_prefixes'];
    stage = await setStage({
      plugins: ['blockstores', 'block-mem', 'import'],
      config: {
        ...Object.fromEntries(single.map(key => [key, undefined])),
        'blockstore.type': 'multiple',
        'blockstores.stores': [
          { id: 'ram', description: 'for trials', type: 'mem' },
          { id: 'disk', backward_compatible: true, type: 'local', local: { path: folder, import_enabled: true } },
        ],
      },
    });
    ({ page } = stage);
  });
  after(async () => {
    await stage?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('a new repository goes to the store that is chosen', async () => {
    await stage.open('repositories');
    await page.getByRole('button', { name: 'Create Repository' }).first().click();
    const dialog = page.getByRole('dialog');
    const store = dialog.getByLabel('Block Store');
    assert.equal(await store.inputValue(), 'disk');
    await dialog.getByLabel('Repository ID').fill('trials');
    await dialog.getByText('Advanced Settings').click();
    assert.equal(await dialog.getByLabel('Storage Namespace').inputValue(), 'local://trials');
    await store.selectOption('ram');
    assert.equal(await dialog.getByLabel('Storage Namespace').inputValue(), 'mem://trials');
    await stage.check('create-in-store');
    await dialog.getByRole('button', { name: 'Create Repository' }).click();
    await dialog.waitFor({ state: 'detached' });
    await stage.settled();
    const { storage_id: id, storage_namespace: namespace } = await stage.client.getRepository({ repository: 'trials' });
    assert.deepEqual([id, namespace], ['ram', 'mem://trials']);
  });

  it('an import is offered where the store of the repository takes one', async () => {
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes', storage_id: 'disk' } });
    for (const [repository, isOff] of [
      ['trials', true],
      ['lakes', false],
    ] as const) {
      await stage.open(`repositories/${repository}/objects?ref=main`);
      const button = page.getByRole('button', { name: 'Import' });
      await button.waitFor();
      assert.equal((await button.getAttribute('aria-disabled')) === 'true' || (await button.isDisabled()), isOff, repository);
    }
  });

  it('the settings of a repository name its store', async () => {
    await stage.open('repositories/trials/settings');
    await page.getByRole('definition').getByText('ram', { exact: true }).waitFor();
  });
});
