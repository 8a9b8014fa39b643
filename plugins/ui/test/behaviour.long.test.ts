/** What people rely on while they work: the highlight, the way back, and nothing lost when the connection or the session is. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { logIn } from '@srv/test-servers/page-stage';
import { setStage } from './support/page.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

const long = 'b'.repeat(255);

describe('the page while people work', { skip: needsChromium }, () => {
  let stage: Stage;
  let page: Page;
  before(async () => {
    stage = await setStage();
    ({ page } = stage);
    const at = { repository: 'lakes' };
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    for (let i = 0; i < 120; i++)
      await stage.client.uploadObject({ ...at, branch: 'main', path: `file-${String(i).padStart(3, '0')}.txt`, body: 'x\n' });
    await stage.client.commit({ ...at, branch: 'main', body: { message: 'Files' } });
    for (const name of ['alpha-one', 'alpha-two', 'beta', long]) await stage.client.createBranch({ ...at, body: { name, source: 'main' } });
  });
  after(() => stage?.close());

  const pick = async (): Promise<void> => {
    await page.getByRole('button', { name: /^branch:/ }).click();
    await page.getByRole('option', { name: 'beta' }).waitFor();
  };
  const ref = () => new URL(page.url()).searchParams.get('ref');

  it('the picker of refs goes to what is highlighted, which arrow keys move', async () => {
    await stage.open('repositories/lakes/objects?ref=main');
    await pick();
    await page.keyboard.type('alpha');
    await page.getByRole('option', { name: 'alpha-one', selected: true }).waitFor();
    await stage.check('ref-picker');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: 'alpha-two', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await eventually(ref, 'alpha-two');
    await pick();
    await page.keyboard.type('bet');
    await page.keyboard.press('Enter');
    await eventually(ref, 'beta');
    await pick();
    await page.keyboard.type('main~');
    await page.keyboard.press('Enter');
    await eventually(ref, 'main~');
  });

  it('a name of 255 letters does not widen the page', async () => {
    for (const path of [`objects?ref=${long}`, 'branches', `compare?ref=main&compare=${long}`, `commits?ref=${long}`]) {
      await stage.open(`repositories/lakes/${path}`);
      await stage.check(`long-branch-${path.slice(0, 4)}`);
    }
  });

  it('the way back leads to where a list was scrolled to', async () => {
    await stage.open('repositories/lakes/objects?ref=main');
    await page.evaluate('scrollTo(0, 2500)');
    const link = page.getByRole('link', { name: 'file-070.txt' });
    await link.waitFor();
    await eventually(() => page.evaluate('history.state?.scrolled'), 2500);
    await link.click();
    await page.getByRole('region', { name: 'file-070.txt', exact: true }).waitFor();
    await eventually(() => page.evaluate('scrollY'), 0);
    await page.goBack();
    await eventually(() => page.evaluate('scrollY'), 2500);
    await link.waitFor();
  });

  it('a part that cannot be loaded keeps the page, and is loaded later', async () => {
    const context = await stage.browser.newContext();
    try {
      const own = await context.newPage();
      await logIn(own, stage.srv);
      await own.getByRole('link', { name: 'lakes' }).click();
      await own.getByRole('link', { name: 'file-000.txt' }).waitFor();
      await own.waitForLoadState('networkidle');
      await context.setOffline(true);
      await own.getByRole('link', { name: 'Branches' }).click();
      await own
        .getByText(/the server cannot be reached/i)
        .first()
        .waitFor();
      await own.getByRole('link', { name: 'Branches' }).waitFor();
      await context.setOffline(false);
      await own.getByRole('button', { name: 'Try again' }).first().click();
      await own.getByRole('link', { name: 'alpha-one' }).waitFor();
    } finally {
      await context.close();
    }
  });

  it('a session that ends keeps what was typed into a dialog, and says what happened', async () => {
    const context = await stage.browser.newContext();
    try {
      const own = await context.newPage();
      await logIn(own, stage.srv);
      await own.goto(`${stage.srv.url}/repositories/lakes/branches`);
      await own.getByRole('button', { name: 'Create Branch' }).click();
      const dialog = own.getByRole('dialog');
      await dialog.getByRole('textbox').first().fill('typed-before');
      const cookies = await context.cookies();
      await context.clearCookies();
      await dialog.getByRole('button', { name: 'Create' }).last().click();
      await dialog.getByText(/Your session has ended. Log in again in another tab/).waitFor();
      assert.equal(await dialog.getByRole('textbox').first().inputValue(), 'typed-before');
      await context.addCookies(cookies);
      await dialog.getByRole('button', { name: 'Create' }).last().click();
      await own.getByRole('link', { name: 'typed-before' }).waitFor();
    } finally {
      await context.close();
    }
  });

  it('a name that is taken is named, and the message goes with the next attempt', async () => {
    await stage.open('repositories');
    await page.getByRole('button', { name: 'Create Repository' }).click();
    const dialog = page.getByRole('dialog');
    const name = dialog.getByLabel('Repository ID');
    await name.fill('lakes');
    await name.press('Enter');
    const taken = dialog.getByText('The repository lakes exists already: choose another name.');
    await taken.waitFor();
    stage.complaintsAbout(/409/);
    await name.fill('/etc');
    assert.equal(await taken.count(), 1, 'it can be read while the name is changed');
    await name.press('Enter');
    await taken.waitFor({ state: 'detached' });
    await dialog.getByText(/^Lower-case letters, digits and dashes/).waitFor();
    await stage.open('repositories/lakes/branches');
    await page.getByRole('button', { name: 'Create Branch' }).click();
    await dialog.getByRole('textbox').first().fill('beta');
    await dialog.getByRole('button', { name: 'Create' }).last().click();
    await dialog.getByText('The branch beta exists already: choose another name.').waitFor();
    stage.complaintsAbout(/409/);
  });

  it('a new branch begins at the default branch, for which the page asks once', async () => {
    const context = await stage.browser.newContext();
    try {
      const own = await context.newPage();
      await logIn(own, stage.srv);
      let asked = 0;
      // The second answer would not come.
      await own.route('**/api/v1/repositories/lakes', route => (asked++ === 0 ? route.continue() : undefined));
      await own.goto(`${stage.srv.url}/repositories/lakes/branches`);
      await own.getByRole('button', { name: 'Create Branch' }).click();
      await own.getByRole('dialog').getByRole('button', { name: 'main' }).waitFor();
      assert.equal(asked, 1);
    } finally {
      await context.close();
    }
  });

  it('a document of a proxy is not shown as a message', async () => {
    await page.route('**/api/v1/repositories/lakes/branches?**', route =>
      route.fulfill({
        status: 502,
        contentType: 'text/html',
        body: '<html><head><title>502 Bad Gateway</title></head><body><h1>nginx</h1></body></html>',
      }),
    );
    await page.goto(`${stage.srv.url}/repositories/lakes/branches`);
    await page.getByText('Something between this page and the server answered: 502 Bad Gateway.').waitFor();
    assert.equal(await page.getByText('<html>').count(), 0);
    await page.unrouteAll();
  });
});
