/** Users in a browser, in front of a real server: the way in, the first administrator, the administration. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@srv/engine/client';
import { scratchFolder } from '@srv/kernel/testing';
import { startSrv } from '@srv/test-servers';
import { needsChromium, startChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { isDenied, listen, logIn, picture, setPageStage, viewerPage } from '@srv/test-servers/page-stage';
import { startSmtp } from '@srv/test-servers/smtp';
import type { Client } from '@srv/lib-api/client';
import type { SrvOptions } from '@srv/test-servers';
import type { Page } from '@srv/test-servers/chromium';
import type { PageStage } from '@srv/test-servers/page-stage';

const setStage = (options: SrvOptions = {}): Promise<PageStage<Client>> =>
  setPageStage(options, ({ url, key }) => createClient({ endpointUrl: url, ...key }));

it('the login page says why users may do nothing after a change of auth.ui_config.rbac', { skip: needsChromium }, async t => {
  const config = { 'database.local.path': join(scratchFolder(), 'kv') };
  const first = await startSrv({ config: { ...config, 'auth.ui_config.rbac': 'none' } });
  await first.stop();
  const srv = await startSrv({ plugins: ['ui'], config: { ...config, 'auth.ui_config.rbac': 'internal' } });
  t.after(srv.stop);
  const browser = await startChromium();
  t.after(() => browser.close());
  const page = await (await browser.newContext()).newPage();
  await page.goto(srv.url);
  await page.getByRole('note').getByText('srv superuser --user-name NAME').waitFor();
  await picture(page, 'login-without-administrators');
});

it('where a mail host is configured, the login page leads to a new password, and users are invited', { skip: needsChromium }, async t => {
  const smtp = await startSmtp({ open: true });
  t.after(() => smtp.close());
  const mail = { 'email.smtp_host': '127.0.0.1', 'email.smtp_port': Number(new URL(smtp.url).port), 'email.sender': 'srv@example.com' };
  const stage = await setStage({ plugins: ['email'], config: { 'auth.ui_config.rbac': 'internal', ...mail } });
  t.after(() => stage.close());
  const { page, browser, srv } = stage;
  const dialog = page.getByRole('dialog');
  await stage.open('auth/users');
  await page.getByRole('button', { name: 'Create User' }).click();
  await dialog.getByLabel('Invite by e-mail').check();
  await dialog.getByLabel('E-mail address').fill('ann');
  await dialog.getByText('“ann” is not an e-mail address').waitFor();
  await stage.check('invitation');
  await dialog.getByLabel('E-mail address').fill('Ann@example.com');
  await dialog.getByRole('button', { name: 'Invite' }).click();
  await page.getByRole('link', { name: 'ann@example.com' }).waitFor();
  assert.deepEqual(
    smtp.received.map(({ to }) => to),
    [['ann@example.com']],
  );
  const visitor = await (await browser.newContext()).newPage();
  await visitor.goto(srv.url);
  await visitor.getByLabel('E-mail or access key ID').waitFor();
  await visitor.getByLabel('Password or secret').waitFor();
  await picture(visitor, 'login-with-mail');
  await visitor.getByRole('link', { name: 'Forgot your password?' }).click();
  await visitor.getByRole('heading', { name: 'Forgotten password' }).waitFor();
});

describe('administration in Chromium', { skip: needsChromium }, () => {
  let stage: PageStage<Client>;
  let page: Page;
  before(async () => {
    stage = await setStage({ config: { 'auth.ui_config.rbac': 'internal' } });
    ({ page } = stage);
  });
  after(() => stage?.close());
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');

  it('a login from a terminal is allowed on its page, which shows the code of the terminal', async () => {
    const api = `${stage.srv.url}/api/v1/auth/get-token`;
    const start = await fetch(`${api}/start`, { redirect: 'manual' });
    const address = start.headers.get('location') ?? '';
    await stage.open(address.slice(1));
    await page.getByText(address.slice(-8)).waitFor();
    await stage.check('terminal');
    await button('Allow').click();
    await page.getByText('The terminal is logged in').waitFor();
    const mailbox = encodeURIComponent(start.headers.get('x-lakefs-mailbox') ?? '');
    assert.equal((await fetch(`${api}/mailboxes/${mailbox}`)).status, 200);
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
    const trial = page.getByRole('region', { name: 'May a user do something?' });
    const tryIt = async (action: string, resource: string): Promise<void> => {
      await trial.getByLabel('Action to try').fill(action);
      await trial.getByLabel('Resource to try').fill(resource);
      await trial.getByRole('button', { name: 'Try' }).click();
    };
    await tryIt('fs:ReadObject', 'arn:lakefs:fs:::repository/lakes/object/a');
    await trial.getByText('ann may fs:ReadObject on arn:lakefs:fs:::repository/lakes/object/a').waitFor();
    await trial.getByRole('link', { name: 'FSReadAll' }).waitFor();
    await stage.check('permission-trial');
    await tryIt('fs:DeleteRepository', 'arn:lakefs:fs:::repository/lakes');
    await trial.getByText('ann may not fs:DeleteRepository').waitFor();
    await trial.getByText("No statement of the user's policies allows it.").waitFor();
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

  it('controls of what a user may not do are off, and say why', async () => {
    const viewer = await viewerPage(stage, 'vera');
    const denied = async (path: string, controls: readonly (readonly [button: string, action: string])[]): Promise<void> => {
      await viewer.goto(`${stage.srv.url}/auth/${path}`);
      for (const [name, action] of controls) await isDenied(viewer, name, `auth:${action}`);
    };
    await denied('users', [['Create User', 'CreateUser']]);
    await denied('groups', [['Create Group', 'CreateGroup']]);
    await denied('policies', [['Create Policy', 'CreatePolicy']]);
    await denied('users/vera/groups', [['Add to groups', 'AddGroupMember']]);
    await denied('users/vera/policies', [['Attach policies', 'AttachPolicy']]);
    await denied('users/admin/credentials', [['Create Access Key', 'CreateCredentials']]);
    await denied('groups/Viewers/members', [['Add members', 'AddGroupMember']]);
    await denied('groups/Viewers/policies', [['Attach policies', 'AttachPolicy']]);
    await denied('policies/FSReadAll', [['Edit', 'UpdatePolicy']]);
    // Own keys are everybody's.
    await viewer.goto(`${stage.srv.url}/auth/credentials`);
    await viewer.getByRole('row').getByRole('button', { name: 'Revoke' }).waitFor();
    await viewer.waitForLoadState('networkidle');
    assert.equal(await viewer.locator('main button[aria-disabled]').count(), 0);
    await viewer.context().close();
  });

  it('members that cannot be added are named and stay ticked, and the others are added', async () => {
    const api = (method: string, path: string, body?: object) =>
      fetch(`${stage.srv.url}/api/v1/auth/${path}`, {
        method,
        headers: {
          authorization: `Basic ${btoa(`${stage.srv.key.accessKeyId}:${stage.srv.key.secretAccessKey}`)}`,
          'content-type': 'application/json',
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    await api('POST', 'groups', { id: 'crew' });
    for (const id of ['m1', 'm2', 'm3', 'm4']) await api('POST', 'users', { id });
    await stage.open('auth/groups/crew/members');
    await button('Add members').click();
    for (const id of ['m1', 'm2', 'm3', 'm4']) await dialog().getByLabel(id, { exact: true }).check();
    // One was added meanwhile, which is not a failure; another one is refused.
    await api('PUT', 'groups/crew/members/m1');
    const isRefused = (url: URL): boolean => url.pathname.endsWith('/members/m2');
    await page.route(isRefused, route => route.fulfill({ status: 503, json: { message: 'not now' } }));
    await dialog().getByRole('button', { name: 'Add 4' }).click();
    await dialog().getByText('m2: not now').waitFor();
    for (const id of ['m1', 'm3', 'm4']) await page.locator('.row').getByText(id, { exact: true }).waitFor();
    await page.unroute(isRefused);
    await dialog().getByRole('button', { name: 'Add 1' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'm2', exact: true }).waitFor();
    // The same when members are removed.
    for (const id of ['m2', 'm3']) await page.getByRole('checkbox', { name: id }).check();
    await api('DELETE', 'groups/crew/members/m3');
    await page.route(isRefused, route => route.fulfill({ status: 503, json: { message: 'not now' } }));
    await button('Remove 2').click();
    await dialog().getByRole('button', { name: 'Yes, remove' }).click();
    await dialog().getByText('m2: not now').waitFor();
    await page.getByRole('link', { name: 'm3', exact: true }).waitFor({ state: 'detached' });
    await page.unroute(isRefused);
    await dialog().getByRole('button', { name: 'Yes, remove' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'm2', exact: true }).waitFor({ state: 'detached' });
    stage.complaintsAbout(/404|409|503/);
  });

  it('a login as another user in a second tab is known to the first, and so is a logout', async () => {
    const first = await viewerPage(stage, 'fay');
    const second = await first.context().newPage();
    await first.getByRole('button', { name: 'User fay' }).waitFor();
    await second.goto(stage.srv.url);
    await second.getByRole('button', { name: 'User fay' }).click();
    await second.getByRole('menuitem', { name: 'Log out' }).click();
    await second.getByRole('heading', { name: 'Log in' }).waitFor();
    await first.getByRole('heading', { name: 'Log in' }).waitFor();
    await logIn(second, stage.srv);
    await first.goto(`${stage.srv.url}/repositories`);
    await first.getByRole('button', { name: 'User admin' }).waitFor();
    const viewer = await viewerPage(stage, 'gus');
    const [cookie] = await viewer.context().cookies();
    assert.ok(cookie);
    await first.context().addCookies([cookie]);
    await second.reload();
    await second.getByRole('button', { name: 'User gus' }).waitFor();
    await first.getByRole('button', { name: 'User gus' }).waitFor();
    await viewer.context().close();
    await first.context().close();
  });

  it('keys are read again after a request whose answer was lost', async () => {
    await stage.open('auth/credentials');
    const keys = page.getByRole('row').getByRole('button', { name: 'Revoke' });
    const before = await keys.count();
    const isKeys = (url: URL): boolean => url.pathname.endsWith('/credentials');
    await page.route(isKeys, async route => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      return route.abort();
    });
    await button('Create Access Key').click();
    await dialog().getByRole('button', { name: 'Create' }).click();
    await dialog()
      .getByText(/whether it was done, before you try again/)
      .waitFor();
    await eventually(() => keys.count(), before + 1);
    await page.unroute(isKeys);
    stage.complaintsAbout(/ERR_FAILED/);
  });

  it('a new server is set up, and its first key logs in', async () => {
    const fresh = await startSrv({
      plugins: ['ui'],
      config: { 'installation.user_name': '', 'installation.access_key_id': '', 'installation.secret_access_key': '' },
    });
    const context = await stage.browser.newContext();
    try {
      const first = await context.newPage();
      const complaints = listen(first);
      await first.goto(fresh.url);
      await first.waitForURL(/\/setup$/);
      await eventually(() => first.getByPlaceholder('Admin Username').inputValue(), 'admin');
      await first.getByPlaceholder('Admin Username').fill('');
      await first.getByRole('button', { name: 'Setup' }).click();
      await first.getByText('Please enter a user name').waitFor();
      await first.getByPlaceholder('Admin Username').fill('root');
      await first.getByRole('button', { name: 'Setup' }).click();
      await first.getByRole('heading', { name: "You're all set!" }).waitFor();
      await first.locator('code').nth(1).waitFor();
      const [accessKeyId = '', secretAccessKey = ''] = await first.locator('code').allTextContents();
      await eventually(() => first.getByRole('link', { name: 'Download credentials' }).getAttribute('href'), /^data:text\/yaml/);
      const opening = context.waitForEvent('page');
      await first.getByRole('link', { name: 'Go To Login' }).click();
      const second = await opening;
      await second.getByPlaceholder('Access Key ID').fill(accessKeyId);
      await second.getByPlaceholder('Secret Access Key').fill(secretAccessKey);
      await second.getByRole('button', { name: 'Login' }).click();
      await second.getByRole('button', { name: 'Create Sample Repository' }).click();
      await second.getByRole('link', { name: 'README.md' }).waitFor();
      await second.getByRole('heading', { name: 'Welcome to the Lake!' }).waitFor();
      await second.getByRole('img', { name: 'Depths of lakes' }).evaluate(image => (image as { decode(): Promise<void> }).decode());
      await picture(second, 'sample');
      await second.getByRole('link', { name: 'images/' }).first().click();
      await second.getByRole('link', { name: 'depths.svg' }).waitFor();
      await eventually(() => second.getByRole('link', { name: /\.svg$/ }).count(), 3);
      await second.goBack();
      await second.getByRole('link', { name: 'lakes.parquet' }).first().click();
      await second.getByRole('cell', { name: 'Denmark' }).first().waitFor();
      await second.getByText('14 rows · 4 columns').waitFor();
      assert.deepEqual(complaints, []);
    } finally {
      await context.close();
      await fresh.stop();
    }
  });
});

describe('administration in the mode simplified', { skip: needsChromium }, () => {
  let stage: PageStage<Client>;
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

  it('gives users the rights of their groups', async () => {
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

describe('an installation whose administrator was not asked for details', { skip: needsChromium }, () => {
  it('asks once which news its owner wants, and lets users continue without', async () => {
    const stage = await setStage();
    const { page } = stage;
    try {
      await stage.open('setup');
      await page.getByRole('heading', { name: 'Setup is already complete' }).waitFor();
      const save = page.getByRole('button', { name: 'Save' });
      await save.click();
      await page.getByText('Please enter your e-mail address').waitFor();
      const email = page.getByLabel('E-mail (required)');
      await email.fill('someone');
      await save.click();
      await page.getByText('“someone” is not an e-mail address').waitFor();
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
