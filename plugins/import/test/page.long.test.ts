/** Imports in a browser, in front of a real server. */
import assert from 'node:assert/strict';
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

  it('follows an import through errors of the connection and of the server, and keeps it in hand', async () => {
    const outside = join(stage.srv.folder, 'outside', 'sounds');
    mkdirSync(outside, { recursive: true });
    writeFileSync(join(outside, '1.ogg'), '1');
    const statusOf = (url: URL): boolean => url.pathname.endsWith('/branches/main/import');
    const asked: ('unreachable' | 'unavailable' | 'limited' | 'server')[] = ['unreachable', 'unavailable', 'limited'];
    await page.route(statusOf, async route => {
      const method = route.request().method();
      if (method === 'DELETE') return route.fulfill({ status: 403, json: { message: 'not this one' } });
      if (method !== 'GET') return route.continue();
      const next = asked[0] ?? 'server';
      if (next === 'unreachable') return route.abort();
      if (next === 'unavailable') return route.fulfill({ status: 503, json: { message: 'starting' } });
      if (next === 'limited') return route.fulfill({ status: 429, json: { message: 'too fast' } });
      return route.continue();
    });
    await stage.open('repositories/lakes/objects');
    await button(/^Import$/).click();
    await dialog().getByLabel('Sources').fill(`local://${outside}/`);
    await dialog().getByRole('button', { name: 'Import' }).click();
    await dialog().getByText('The server cannot be reached; still trying').waitFor();
    await dialog().getByRole('button', { name: 'Cancel the import' }).click();
    await dialog().getByText('Not cancelled: not this one').waitFor();
    assert.equal(await dialog().getByRole('button', { name: 'Change the import' }).count(), 0);
    asked.shift();
    await dialog().getByText('The server answered: starting').waitFor();
    asked.shift();
    await dialog().getByText('The server answered: too fast').waitFor();
    asked.shift();
    await dialog().getByText('1 object imported.').waitFor();
    await page.unroute(statusOf);
    stage.complaintsAbout(/40[13]|429|503|ERR_FAILED/);
  });

  it('stops following an import that does not exist', async () => {
    const statusOf = (url: URL): boolean => url.pathname.endsWith('/branches/main/import');
    await page.route(statusOf, route =>
      route.request().method() === 'GET' ? route.fulfill({ status: 404, json: { message: 'no such import' } }) : route.continue(),
    );
    await stage.open('repositories/lakes/objects');
    await button(/^Import$/).click();
    await dialog()
      .getByLabel('Sources')
      .fill(`local://${join(stage.srv.folder, 'outside')}/`);
    await dialog().getByRole('button', { name: 'Import' }).click();
    await dialog().getByText('no such import').waitFor();
    await dialog().getByRole('button', { name: 'Change the import' }).waitFor();
    await page.unroute(statusOf);
    stage.complaintsAbout(/404/);
  });
});
