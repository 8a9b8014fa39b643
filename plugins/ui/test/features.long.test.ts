/** What features add to the page: each appears where the server has it. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { logIn } from '@srv/test-servers/page-stage';
import { setStage } from './support/page.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

const action = (script: string) => `name: check
on:
  pre-commit:
    branches: [main]
hooks:
  - id: hello
    type: lua
    properties:
      script: |
        ${script}
`;

describe('features on the page', { skip: needsChromium }, () => {
  let stage: Stage;
  let page: Page;
  before(async () => {
    stage = await setStage({
      plugins: ['pulls', 'actions', 'hook-lua', 'branch-protection', 'gc', 'import'],
      config: { 'auth.ui_config.rbac': 'internal' },
    });
    ({ page } = stage);
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    await put('main', 'a.txt', 'a');
    await stage.client.commit({ repository: 'lakes', branch: 'main', body: { message: 'first' } });
    await stage.client.createBranch({ repository: 'lakes', body: { name: 'try', source: 'main' } });
    await put('try', 'b.txt', 'b');
    await stage.client.commit({ repository: 'lakes', branch: 'try', body: { message: 'second' } });
  });
  after(() => stage?.close());

  const put = (branch: string, path: string, body: string) => stage.client.uploadObject({ repository: 'lakes', branch, path, body });
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');

  it('pull requests are made, edited and merged', async () => {
    await stage.open('repositories/lakes/pulls');
    await page.getByRole('heading', { name: 'No open pull requests' }).waitFor();
    await stage.check('pulls-empty');
    await stage.open('repositories/lakes/pulls/create?ref=main&compare=try');
    await page.getByPlaceholder('Add a title...').fill('Add b <b>now</b>');
    await page.getByPlaceholder('Describe your changes...').fill('It is *good*. <img src=x onerror=alert(1)>');
    await page.getByText('1 change').waitFor();
    await stage.check('pull-create');
    await button('Create Pull Request').click();
    await page.getByText('main...try/').waitFor();
    await page.getByText('<img src=x onerror=alert(1)>').waitFor();
    assert.equal(await page.locator('main img').count(), 0);
    await stage.check('pull');
    await button('Merge pull request').click();
    await dialog().getByRole('button', { name: 'Yes' }).click();
    await page.getByText('merged', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Pull Requests' }).click();
    await button('Closed').click();
    await page.getByRole('link', { name: 'Add b <b>now</b>' }).waitFor();
    await page
      .getByText(/^Merged/)
      .first()
      .waitFor();
    await stage.check('pulls');
  });

  it('a hook that refuses keeps the message, and its run shows what it printed', async () => {
    await stage.open('repositories/lakes/actions');
    await page.getByText('No action has run yet').waitFor();
    await stage.check('actions-empty');
    await put('main', '_srv_actions/check.yaml', action("print('<script>alert(1)</script>'); error('the format is wrong')"));
    await stage.open('repositories/lakes/objects');
    await button('Commit Changes').click();
    await dialog().getByLabel('Commit Message').fill('a text that took long');
    await dialog().getByRole('button', { name: 'Commit Changes' }).click();
    await dialog()
      .getByText(/the format is wrong/)
      .waitFor();
    await eventually(() => dialog().getByLabel('Commit Message').inputValue(), 'a text that took long');
    stage.complaintsAbout(/412/);
    await stage.check('commit-refused');
    await dialog()
      .getByRole('link', { name: /^See the run/ })
      .click();
    await page
      .getByText(/failed/)
      .first()
      .waitFor();
    await stage.open('repositories/lakes/actions');
    await page.getByRole('link', { name: /pre-commit/ }).click();
    await page.getByText('<script>alert(1)</script>').waitFor();
    await stage.check('run');
    await stage.open('repositories/lakes/actions');
    await stage.check('actions');
    await stage.client.resetBranch({ repository: 'lakes', branch: 'main', body: { type: 'reset' } });
    await stage.client.createBranch({ repository: 'lakes', body: { name: 'checked', source: 'main' } });
    await put('checked', '_srv_actions/check.yaml', action("print('fine')").replace('[main]', '[checked]'));
    const { id } = await stage.client.commit({ repository: 'lakes', branch: 'checked', body: { message: 'third' } });
    await stage.open(`repositories/lakes/commits/${id}`);
    const runs = page.getByRole('region', { name: 'Action runs' });
    await runs.getByText('completed').waitFor();
    await stage.check('commit-runs');
    await runs.getByRole('link', { name: /pre-commit/ }).click();
    await page.getByText('fine').waitFor();
    await stage.open('repositories/lakes/branches');
    await button('Actions for checked').click();
    await page.getByRole('menuitem', { name: 'Action runs' }).click();
    await page.getByRole('link', { name: /pre-commit/ }).waitFor();
  });

  it('branches are protected, and rules of retention set', async () => {
    await stage.open('repositories/lakes/settings/branches');
    await button('Add').click();
    await dialog().getByLabel('Pattern').fill('tr*');
    await page.getByText('Matches 1 branch now: try').waitFor();
    await dialog().getByRole('button', { name: 'Add' }).click();
    await page.getByText('tr*').waitFor();
    await stage.check('protection');
    await stage.open('repositories/lakes/objects?ref=try');
    await page.getByText('Protected', { exact: true }).waitFor();
    const upload = button('Upload');
    await eventually(() => upload.getAttribute('aria-disabled'), 'true');
    await eventually(() => upload.getAttribute('title'), /protected by tr\*; merge into it instead/);
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

  it('users, groups, policies and keys are managed', async () => {
    await stage.open('auth/credentials');
    await stage.check('credentials');
    await button('Create Access Key').click();
    await dialog().getByRole('button', { name: 'Create' }).click();
    await dialog().getByText('The secret is shown only now').waitFor();
    const secret = (await dialog().locator('code').nth(1).textContent()) ?? '';
    assert.ok(secret.length > 20);
    await stage.check('new-key');
    await dialog().getByRole('button', { name: 'Done' }).click();
    await dialog().waitFor({ state: 'detached' });
    const kept = await page.evaluate('JSON.stringify([localStorage, sessionStorage, location.href, history.state, document.cookie])');
    assert.ok(!String(kept).includes(secret) && !String(kept).includes('access_token'), 'no secret is kept');
    await stage.open('auth/users');
    await button('Create User').click();
    await dialog().getByLabel('User name').fill('ann');
    await dialog().getByRole('button', { name: 'Create' }).click();
    await page.getByRole('link', { name: 'ann' }).waitFor();
    await stage.check('users');
    await page.getByRole('link', { name: 'ann' }).click();
    await button('Add to groups').click();
    await dialog().getByLabel('Viewers').check();
    await dialog().getByRole('button', { name: 'Add 1' }).click();
    await page.getByRole('link', { name: 'Viewers' }).waitFor();
    await stage.check('user');
    await page.getByRole('link', { name: 'Effective policies' }).click();
    await page.getByRole('link', { name: 'FSReadAll' }).waitFor();
    // A name is one part of an address, whatever stands in it.
    const awkward = 'ann #1?';
    await stage.open('auth/users');
    await button('Create User').click();
    await dialog().getByLabel('User name').fill(awkward);
    await dialog().getByRole('button', { name: 'Create' }).click();
    await page.getByRole('link', { name: awkward }).click();
    await page.locator('strong', { hasText: awkward }).waitFor();
    await page.reload();
    await page.locator('strong', { hasText: awkward }).waitFor();
    await stage.open('auth/groups');
    await page.getByRole('link', { name: 'Admins' }).waitFor();
    await stage.check('groups');
    await stage.open('auth/policies');
    await button('Create Policy').click();
    await dialog().getByLabel('Policy name').fill('ReadLakes');
    await dialog().getByLabel('Statements').fill('[{"effect":"allow","action":["fs:ReadObjekt"],"resource":"*"}]');
    await dialog().getByText('No action is called fs:ReadObjekt').waitFor();
    await dialog().getByLabel('Add an action').fill('listobj');
    await dialog().getByRole('button', { name: 'fs:ListObjects' }).click();
    await stage.check('policy-create');
    await dialog().getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('link', { name: 'ReadLakes' }).click();
    await page.getByText('fs:ReadObjekt, fs:ListObjects').waitFor();
    await stage.check('policy');
  });

  it('who may only look is told so before a click', async () => {
    const { url, key } = stage.srv;
    const answer = await fetch(`${url}/api/v1/auth/users/ann/credentials`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${key.accessKeyId}:${key.secretAccessKey}`)}` },
    });
    const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = (await answer.json()) as Record<string, string>;
    assert.ok(accessKeyId && secretAccessKey);
    const context = await stage.browser.newContext();
    const fresh = await context.newPage();
    await logIn(fresh, { url, key: { accessKeyId, secretAccessKey } });
    await fresh.goto(`${url}/repositories/lakes/objects?ref=main`);
    await fresh.locator('[aria-disabled][title^="insufficient permissions"]').first().waitFor();
    await eventually(() => fresh.getByRole('button', { name: 'Upload' }).getAttribute('aria-disabled'), 'true');
    const reason = async (name: string, action: string): Promise<void> =>
      fresh.locator(`button[aria-disabled][title="insufficient permissions: not allowed to fs:${action}"]`, { hasText: name }).waitFor();
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
        .locator(`[role=menuitem][aria-disabled][title="insufficient permissions: not allowed to fs:${action}"]`, { hasText: name })
        .waitFor();
    await fresh.goto(`${url}/auth/users`);
    await fresh.getByRole('heading', { name: 'You have no permission to see this' }).waitFor();
    await context.close();
  });
});
