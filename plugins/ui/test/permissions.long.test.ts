/** Controls for what the user may not do are off, and say why. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { logIn } from '@srv/test-servers/page-stage';
import { setStage } from './support/page.js';
import type { Stage } from './support/page.js';

describe('permissions in Chromium', { skip: needsChromium }, () => {
  let stage: Stage;
  before(async () => {
    stage = await setStage({ config: { 'auth.ui_config.rbac': 'internal' } });
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    await put('main', 'a.txt', 'a');
    await stage.client.commit({ repository: 'lakes', branch: 'main', body: { message: 'first' } });
    await asAdministrator('POST', 'auth/users', { id: 'ann' });
    await asAdministrator('PUT', 'auth/groups/Viewers/members/ann');
  });
  after(() => stage?.close());

  const put = (branch: string, path: string, body: string) => stage.client.uploadObject({ repository: 'lakes', branch, path, body });
  const asAdministrator = (method: string, path: string, body?: object): Promise<Response> => {
    const { url, key } = stage.srv;
    const authorization = `Basic ${btoa(`${key.accessKeyId}:${key.secretAccessKey}`)}`;
    const headers = { authorization, 'content-type': 'application/json' };
    return fetch(`${url}/api/v1/${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  };

  it('users who may only read learn so before a click', async () => {
    const { url } = stage.srv;
    const answer = await asAdministrator('POST', 'auth/users/ann/credentials');
    const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = (await answer.json()) as Record<string, string>;
    assert.ok(accessKeyId && secretAccessKey);
    const context = await stage.browser.newContext();
    const fresh = await context.newPage();
    await logIn(fresh, { url, key: { accessKeyId, secretAccessKey } });
    await fresh.goto(`${url}/repositories/lakes/objects?ref=main`);
    await fresh.locator('[aria-disabled][title^="insufficient permissions"]').first().waitFor();
    await eventually(() => fresh.getByRole('button', { name: 'Upload' }).getAttribute('aria-disabled'), 'true');
    const reason = async (name: string, action: string): Promise<void> =>
      fresh.locator(`button[aria-disabled][title^="insufficient permissions: not allowed to fs:${action}"]`, { hasText: name }).waitFor();
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
    await context.close();
  });
});
