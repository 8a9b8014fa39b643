/** The page in other ways of running a server: simplified users, and a prefix that sessions end below. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { listen, logIn } from '@srv/test-servers/page-stage';
import { setStage } from './support/page.js';
import { startPrefixProxy } from './support/prefix-proxy.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

describe('administration in the mode simplified', { skip: needsChromium }, () => {
  let stage: Stage;
  let page: Page;
  before(async () => {
    stage = await setStage({ config: { 'auth.ui_config.rbac': 'simplified' } });
    ({ page } = stage);
  });
  after(() => stage?.close());
  const dialog = () => page.getByRole('dialog');

  it('groups have a permission each, and no policies', async () => {
    await stage.open('auth/groups');
    await page.getByRole('link', { name: 'Users' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Policies' }).count(), 0);
    await page.getByRole('button', { name: 'Create Group' }).click();
    await dialog().getByLabel('Group name').fill('analysts');
    await dialog().getByRole('button', { name: 'Create' }).click();
    const permission = page.getByLabel('Permission of analysts');
    await permission.selectOption('Write');
    await page.getByText('analysts: Write').waitFor();
    await stage.check('groups-simplified');
    await page.reload();
    await permission.waitFor();
    await eventually(() => permission.inputValue(), 'Write');
    await page.getByRole('link', { name: 'analysts' }).click();
    await page.getByText('Permission:').waitFor();
    await eventually(() => page.getByLabel('Permission of analysts').inputValue(), 'Write');
    await stage.check('group-simplified');
    assert.equal(await page.getByRole('link', { name: 'Policies' }).count(), 0);
  });

  it('what a group may do is what its users may', async () => {
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    await stage.open('auth/users');
    await page.getByRole('button', { name: 'Create User' }).click();
    await dialog().getByLabel('User name').fill('ann');
    await dialog().getByRole('button', { name: 'Create' }).click();
    await page.getByRole('link', { name: 'ann' }).click();
    await page.getByRole('button', { name: 'Add to groups' }).click();
    await dialog().getByLabel('analysts').check();
    await dialog().getByRole('button', { name: 'Add 1' }).click();
    await page.getByRole('link', { name: 'analysts' }).waitFor();
    await stage.check('user-simplified');
    assert.equal(await page.getByRole('link', { name: 'Effective policies' }).count(), 0);
    await page.getByRole('navigation', { name: 'User' }).getByRole('link', { name: 'Credentials' }).click();
    await page.getByRole('button', { name: 'Create Access Key' }).click();
    await dialog().getByRole('button', { name: 'Create' }).click();
    const [accessKeyId = '', secretAccessKey = ''] = await Promise.all(
      [0, 1].map(async i => dialog().locator('code').nth(i).textContent()),
    ).then(found => found.map(text => text ?? ''));
    await dialog().getByRole('button', { name: 'Done' }).click();
    const context = await stage.browser.newContext();
    const ann = await context.newPage();
    const complaints = listen(ann);
    await logIn(ann, { url: stage.srv.url, key: { accessKeyId, secretAccessKey } });
    await ann.goto(`${stage.srv.url}/repositories/lakes/branches`);
    const create = ann.getByRole('button', { name: 'Create Branch' });
    await create.waitFor();
    await ann.waitForLoadState('networkidle');
    await eventually(() => create.getAttribute('aria-disabled'), null);
    assert.deepEqual(complaints, []);
    await context.close();
  });

  it('a policy has no page here, and the page says so', async () => {
    await stage.open('auth/policies');
    await page.getByRole('heading', { name: 'Not on this server' }).waitFor();
    await stage.check('policies-simplified');
  });
});

describe('an installation that nobody was asked about', { skip: needsChromium }, () => {
  it('asks once which news its owner wants, and lets people go on without', async () => {
    const stage = await setStage();
    const { page } = stage;
    try {
      await stage.open('setup');
      await page.getByRole('heading', { name: 'Setup is already complete' }).waitFor();
      const save = page.getByRole('button', { name: 'Save' });
      await save.click();
      await page.getByText('Please enter your e-mail address').waitFor();
      const email = page.getByLabel('E-mail (required)');
      await email.fill('nobody');
      await save.click();
      await page.getByText('“nobody” is not an e-mail address').waitFor();
      await stage.check('preferences');
      await email.fill('ann@example.com');
      await page.getByLabel('First name').fill('Ann');
      await page.getByLabel('Tell me about new features').check();
      await save.click();
      await page.getByRole('heading', { name: 'News about this software' }).waitFor({ state: 'detached' });
      await stage.open('setup');
      await page.getByRole('heading', { name: 'Setup is already complete' }).waitFor();
      assert.equal(await save.count(), 0);
      const state = (await (await fetch(`${stage.srv.url}/api/v1/setup_lakefs`)).json()) as { readonly comm_prefs_missing: boolean };
      assert.equal(state.comm_prefs_missing, false);
      await page.getByRole('link', { name: 'Go to the repositories' }).click();
      await page.getByRole('heading', { name: 'Repositories', exact: true }).waitFor();
    } finally {
      await stage.close();
    }
  });
});

describe('a session below a prefix', { skip: needsChromium }, () => {
  it('ends where it began', async () => {
    const stage = await setStage();
    const proxy = await startPrefixProxy(stage.srv.url);
    const { url } = proxy;
    const context = await stage.browser.newContext();
    try {
      const page = await context.newPage();
      await logIn(page, { url, key: stage.srv.key });
      await page
        .getByRole('button', { name: /user|account|admin/i })
        .last()
        .click();
      await page.getByRole('menuitem', { name: 'Log out' }).click();
      await page.getByPlaceholder('Access Key ID').waitFor();
      await eventually(() => page.url().split('?')[0], `${url}/auth/login`);
      await page.goto(`${url}/repositories`);
      await page.getByPlaceholder('Access Key ID').waitFor();
    } finally {
      await context.close();
      await proxy.close();
      await stage.close();
    }
  });
});
