/** Garbage collection in a browser, in front of a real server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@srv/engine/client';
import { needsChromium } from '@srv/test-servers/chromium';
import { isDenied, setPageStage, viewerPage } from '@srv/test-servers/page-stage';
import type { Client } from '@srv/lib-api/client';
import type { Page } from '@srv/test-servers/chromium';
import type { PageStage } from '@srv/test-servers/page-stage';

describe('garbage collection in Chromium', { skip: needsChromium }, () => {
  let stage: PageStage<Client>;
  let page: Page;
  before(async () => {
    stage = await setPageStage({ plugins: ['gc'], config: { 'auth.ui_config.rbac': 'internal' } }, ({ url, key }) =>
      createClient({ endpointUrl: url, ...key }),
    );
    ({ page } = stage);
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
  });
  after(() => stage?.close());

  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');

  it('does not replace a policy that was set meanwhile', async () => {
    const gc = stage.srv.kernel.services.get('gc');
    await stage.client.createRepository({ body: { name: 'shared', storage_namespace: 'local://shared' } });
    await stage.open('repositories/shared/settings/retention');
    await page.getByText('No policy is set').waitFor();
    await button('Set Policy').click();
    await dialog().getByLabel('Days on all branches').fill('14');
    await gc.setRules('shared', { defaultRetentionDays: 90, branches: [] });
    // A second attempt from the same text is refused, too.
    for (let attempt = 0; attempt < 2; attempt++) {
      await dialog().getByRole('button', { name: 'Save' }).click();
      await dialog()
        .getByText(/another change was made meanwhile. Close this dialog/)
        .waitFor();
    }
    assert.equal(await dialog().getByLabel('Days on all branches').inputValue(), '14');
    assert.equal((await gc.getRules('shared')).rules.defaultRetentionDays, 90);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('90 days').waitFor();
    await button('Edit Policy').click();
    await dialog().getByLabel('Days on all branches').fill('14');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByText('14 days').waitFor();
    stage.complaintsAbout(/404|412/);
  });

  it('sets the policy, and finds garbage', async () => {
    await stage.open('repositories/lakes/settings/retention');
    await page.getByText('No policy is set').waitFor();
    stage.complaintsAbout(/404/);
    await button('Set Policy').click();
    await dialog().getByLabel('Days on all branches').fill('14');
    await stage.check('retention-edit');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByText('14 days').waitFor();
    await button('Find garbage').click();
    await page.getByText(/could go/).waitFor();
    await stage.check('retention');
  });

  it('is configured and started by those who may', async () => {
    const viewer = await viewerPage(stage, 'vera', ['retention:Get*']);
    await viewer.goto(`${stage.srv.url}/repositories/lakes/settings/retention`);
    await isDenied(viewer, /Policy$/, 'retention:SetGarbageCollectionRules');
    for (const name of ['Find garbage', 'Remove garbage']) await isDenied(viewer, name, 'retention:RunGarbageCollection');
    await viewer.context().close();
  });
});
