/** Branch protection in a browser, in front of a real server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@srv/engine/client';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { setPageStage } from '@srv/test-servers/page-stage';
import type { Client } from '@srv/lib-api/client';
import type { Page } from '@srv/test-servers/chromium';
import type { PageStage } from '@srv/test-servers/page-stage';

describe('branch protection in Chromium', { skip: needsChromium }, () => {
  let stage: PageStage<Client>;
  let page: Page;
  before(async () => {
    stage = await setPageStage({ plugins: ['branch-protection'] }, ({ url, key }) => createClient({ endpointUrl: url, ...key }));
    ({ page } = stage);
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    await stage.client.createBranch({ repository: 'lakes', body: { name: 'try', source: 'main' } });
  });
  after(() => stage?.close());

  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');

  it('keeps the first rule of another administrator', async () => {
    const protection = stage.srv.kernel.services.get('branchProtection');
    await stage.client.createRepository({ body: { name: 'first', storage_namespace: 'local://first' } });
    await stage.open('repositories/first/settings/branches');
    await page.getByText('No branch is protected').waitFor();
    await protection.set('first', { main: ['commit'] });
    await button('Add').click();
    await dialog().getByLabel('Pattern').fill('dev');
    await dialog().getByRole('button', { name: 'Add' }).click();
    await dialog()
      .getByText(/another change was made meanwhile/)
      .waitFor();
    assert.deepEqual((await protection.get('first')).rules, { main: ['commit'] });
    // The dialog stays as it was, and its next attempt is made from the current rules.
    await page.locator('.rule-row').getByText('main', { exact: true }).waitFor();
    assert.equal(await dialog().getByLabel('Pattern').inputValue(), 'dev');
    await dialog().getByRole('button', { name: 'Add' }).click();
    await dialog().waitFor({ state: 'detached' });
    await eventually(async () => Object.keys((await protection.get('first')).rules).length, 2);
    stage.complaintsAbout(/412/);
  });

  it('deletes a rule from the current list after a refusal', async () => {
    const protection = stage.srv.kernel.services.get('branchProtection');
    await stage.client.createRepository({ body: { name: 'second', storage_namespace: 'local://second' } });
    await protection.set('second', { main: ['commit'] });
    await stage.open('repositories/second/settings/branches');
    await button('Delete main').click();
    await protection.set('second', { main: ['commit'], dev: ['commit'] });
    await dialog().getByRole('button', { name: 'Yes, delete' }).click();
    await dialog()
      .getByText(/another change was made meanwhile/)
      .waitFor();
    await page.locator('.rule-row').getByText('dev', { exact: true }).waitFor();
    await dialog().getByRole('button', { name: 'Yes, delete' }).click();
    await dialog().waitFor({ state: 'detached' });
    await eventually(async () => (await protection.get('second')).rules, { dev: ['staging_write', 'commit'] });
    stage.complaintsAbout(/412/);
  });

  it('counts the branches that match beyond the first page of them', async () => {
    const { kernel } = stage.srv;
    await stage.client.createRepository({ body: { name: 'wide', storage_namespace: 'local://wide' } });
    for (let i = 0; i < 1001; i++) await kernel.services.get('engine').createBranch('wide', `a${i}`, 'main');
    await kernel.services.get('engine').createBranch('wide', 'zebra', 'main');
    await stage.open('repositories/wide/settings/branches');
    await button('Add').click();
    await dialog().getByLabel('Pattern').fill('ze*');
    await dialog().getByText('Matches 1 branch now: zebra').waitFor();
  });

  it('says so when only the first of very many branches are compared', async () => {
    await stage.client.createRepository({ body: { name: 'endless', storage_namespace: 'local://endless' } });
    let [pages, names] = [0, 0];
    await page.route('**/repositories/endless/branches?*', route => {
      const results = Array.from({ length: 1000 }, () => ({ id: `b${names++}`, commit_id: '' }));
      pages++;
      return route.fulfill({ json: { results, pagination: { has_more: true, next_offset: `b${names - 1}` } } });
    });
    await stage.open('repositories/endless/settings/branches');
    await eventually(() => pages, 10);
    await button('Add').click();
    await dialog().getByLabel('Pattern').fill('b999?');
    await dialog().getByText('Matches 10 of the first 10,000 branches now: b9990').waitFor();
    assert.equal(pages, 10);
    await page.unroute('**/repositories/endless/branches?*');
  });

  it('protects branches, whose controls are off then', async () => {
    await stage.open('repositories/lakes/settings/branches');
    await button('Add').click();
    await dialog().getByLabel('Pattern').fill('tr*');
    await page.getByText('Matches 1 branch now: try').waitFor();
    await dialog().getByRole('button', { name: 'Add' }).click();
    await page.getByText('tr*').waitFor();
    await stage.check('protection');
    await stage.open('repositories/lakes/branches');
    await page
      .getByRole('row', { name: /^Select try/ })
      .getByText('Protected', { exact: true })
      .waitFor();
    await page.getByRole('row', { name: /^main/ }).first().waitFor();
    assert.equal(await page.getByText('Protected', { exact: true }).count(), 1);
    await stage.open('repositories/lakes/objects?ref=try');
    await page.getByText('Protected', { exact: true }).waitFor();
    const upload = page.getByRole('button', { name: 'Upload', exact: true });
    await eventually(() => upload.getAttribute('aria-disabled'), 'true');
    await eventually(() => upload.getAttribute('title'), /protected by tr\*; merge into it instead/);
  });
});
