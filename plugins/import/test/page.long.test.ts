/** Imports in a browser, in front of a real server. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@srv/engine/client';
import { needsChromium } from '@srv/test-servers/chromium';
import { setPageStage } from '@srv/test-servers/page-stage';
import type { Client } from '@srv/lib-api/client';
import type { Page } from '@srv/test-servers/chromium';
import type { PageStage } from '@srv/test-servers/page-stage';

describe('imports in Chromium', { skip: needsChromium }, () => {
  let stage: PageStage<Client>;
  let page: Page;
  before(async () => {
    stage = await setPageStage({ plugins: ['import'] }, ({ url, key }) => createClient({ endpointUrl: url, ...key }));
    ({ page } = stage);
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
  });
  after(() => stage?.close());

  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');

  it('objects of the store are imported', async () => {
    const outside = join(stage.srv.folder, 'outside', 'photos');
    mkdirSync(outside, { recursive: true });
    for (const name of ['1.jpg', '2.jpg']) writeFileSync(join(outside, name), name);
    await stage.open('repositories/lakes/objects');
    await button('Import').click();
    await dialog().getByLabel('Sources').fill('nonsense');
    await dialog().getByText('nonsense is not an address of this store').waitFor();
    await dialog().getByLabel('Sources').fill(`local://${outside}/`);
    await dialog().getByLabel('Destination').fill('imported/');
    await stage.check('import');
    await dialog().getByRole('button', { name: 'Import' }).click();
    await dialog().getByText('2 objects imported.').waitFor();
    await dialog().getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('link', { name: 'imported/' }).waitFor();
  });
});
