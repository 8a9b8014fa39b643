/** Controls for what the user may not do are off, and say why. */
import { after, before, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { isDenied, viewerPage } from '@srv/test-servers/page-stage';
import { setStage } from './support/page.js';
import type { Stage } from './support/page.js';

describe('permissions in Chromium', { skip: needsChromium }, () => {
  let stage: Stage;
  before(async () => {
    stage = await setStage({ config: { 'auth.ui_config.rbac': 'internal' } });
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    await put('main', 'a.txt', 'a');
    await stage.client.commit({ repository: 'lakes', branch: 'main', body: { message: 'first' } });
  });
  after(() => stage?.close());

  const put = (branch: string, path: string, body: string) => stage.client.uploadObject({ repository: 'lakes', branch, path, body });
  it('users who may only read learn so before a click', async () => {
    const { url } = stage.srv;
    const fresh = await viewerPage(stage, 'ann');
    await fresh.goto(`${url}/repositories/lakes/objects?ref=main`);
    await fresh.locator('[aria-disabled][title^="insufficient permissions"]').first().waitFor();
    await eventually(() => fresh.getByRole('button', { name: 'Upload' }).getAttribute('aria-disabled'), 'true');
    const reason = (name: string, action: string): Promise<void> => isDenied(fresh, name, `fs:${action}`);
    await stage.client.createBranch({ repository: 'lakes', body: { name: 'extra', source: 'main' } });
    await put('extra', 'uncommitted.txt', 'x');
    await fresh.goto(`${url}/repositories/lakes/objects?ref=extra`);
    await reason('Commit Changes', 'CreateCommit');
    await reason('Revert', 'RevertBranch');
    await fresh.goto(`${url}/repositories/lakes/branches`);
    await reason('Create Branch', 'CreateBranch');
    await fresh.goto(`${url}/repositories/lakes/tags`);
    await reason('Create Tag', 'CreateTag');
    await stage.client.commit({ repository: 'lakes', branch: 'extra', body: { message: 'third' } });
    await fresh.goto(`${url}/repositories/lakes/compare?ref=main&compare=extra`);
    await reason('Merge', 'CreateCommit');
    await fresh.goto(`${url}/repositories/lakes/commits?ref=extra`);
    await fresh
      .getByRole('button', { name: /^Actions for commit/ })
      .first()
      .click();
    for (const [name, action] of [
      ['Create branch here', 'CreateBranch'],
      ['Create tag here', 'CreateTag'],
      ['Cherry-pick to a branch', 'CreateCommit'],
      ['Revert on extra', 'RevertBranch'],
      ['Reset extra to here', 'RevertBranch'],
    ] as const)
      await fresh
        .locator(`[role=menuitem][aria-disabled][title^="insufficient permissions: not allowed to fs:${action}"]`, { hasText: name })
        .waitFor();
    await fresh.goto(`${url}/repositories`);
    await reason('Create Repository', 'CreateRepository');
    await fresh.goto(`${url}/repositories/lakes/settings`);
    await reason('Delete Repository', 'DeleteRepository');
    await fresh.goto(`${url}/repositories/lakes/objects?ref=extra`);
    await fresh.getByRole('checkbox', { name: 'Select uncommitted.txt' }).check();
    await fresh.locator('button[aria-disabled][title^="insufficient permissions"]', { hasText: 'Delete' }).waitFor();
    await fresh.goto(`${url}/auth/users`);
    await fresh.getByRole('heading', { name: 'You have no permission to see this' }).waitFor();
    await fresh.context().close();
  });
});
