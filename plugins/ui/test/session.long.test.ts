/** Who is logged in: where a login leads, and what is left after its end. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { listen, logIn } from '@srv/test-servers/page-stage';
import { setStage } from './support/page.js';
import { startPrefixProxy } from './support/prefix-proxy.js';
import type { BrowserContext, Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

describe('sessions in Chromium', { skip: needsChromium }, () => {
  let stage: Stage;
  let context: BrowserContext;
  let page: Page;
  before(async () => {
    stage = await setStage();
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    await stage.client.uploadObject({ repository: 'lakes', branch: 'main', path: 'a b/README.md', body: '# Deep\n' });
    context = await stage.browser.newContext();
    page = await context.newPage();
    page.setDefaultTimeout(30_000);
  });
  after(() => stage?.close());

  const deep = 'repositories/lakes/object?ref=main&path=a+b%2FREADME.md';
  const fill = async (on: Page): Promise<void> => {
    await on.getByPlaceholder('Access Key ID').fill(stage.srv.key.accessKeyId);
    await on.getByPlaceholder('Secret Access Key').fill(stage.srv.key.secretAccessKey);
    await on.getByRole('button', { name: 'Login' }).click();
  };

  it('a deep link is where the login leads', async () => {
    const complaints = listen(page);
    await page.goto(`${stage.srv.url}/${deep}`);
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    assert.equal(await page.getByRole('navigation').count(), 0, 'nothing of the page is shown before');
    await fill(page);
    await page.getByRole('heading', { name: 'Deep' }).waitFor();
    await eventually(() => page.url(), `${stage.srv.url}/${deep}`);
    assert.deepEqual(complaints, []);
  });

  it('a session that ends asks again, and comes back', async () => {
    await context.clearCookies();
    await page.getByRole('link', { name: 'Branches' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await fill(page);
    await page.getByRole('button', { name: 'Create Branch' }).waitFor();
    await eventually(() => page.url(), /\/repositories\/lakes\/branches/);
  });

  /** As people who come back to the tab after a while. */
  const comeBack = async (): Promise<void> => {
    await page.clock.fastForward(61_000);
    await page.evaluate("dispatchEvent(new Event('focus'))");
  };
  const logInElsewhere = async (): Promise<void> => {
    const other = await context.newPage();
    await other.goto(stage.srv.url);
    await fill(other);
    await other.getByRole('heading', { name: 'Repositories', exact: true }).waitFor();
    await other.close();
  };
  const over = () => page.getByText('Your session has ended. Log in again in another tab, then come back');

  it('coming back after the end keeps an open dialog, which goes through after a login in another tab', async () => {
    await page.clock.install();
    await page.goto(`${stage.srv.url}/repositories/lakes/branches`);
    await page.getByRole('button', { name: 'Create Branch' }).click();
    const dialog = page.getByRole('dialog');
    const name = dialog.getByRole('textbox').first();
    await name.fill('typed-before');
    await context.clearCookies();
    await comeBack();
    await dialog.getByText('Log in again in another tab').waitFor();
    await logInElsewhere();
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await over().first().waitFor({ state: 'detached' });
    assert.equal(await name.inputValue(), 'typed-before');
    await dialog.getByRole('button', { name: 'Create' }).last().click();
    await page.getByRole('link', { name: 'typed-before' }).waitFor();
  });

  it('coming back after the end leads to the login where nothing was typed', async () => {
    await context.clearCookies();
    await comeBack();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await fill(page);
    await page.getByRole('button', { name: 'Create Branch' }).waitFor();
  });

  it('a logout leaves nothing to go back to', async () => {
    await page.getByRole('button', { name: /^User/ }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    const cookies = await context.cookies();
    assert.deepEqual(
      cookies.filter(({ value }) => value !== '').map(({ name }) => name),
      [],
    );
    await page.goBack();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await page.waitForLoadState('networkidle');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Create Branch' }).count(), 0);
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
