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
