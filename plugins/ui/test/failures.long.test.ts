/** What the page does while the server refuses, does not answer, or breaks off its answer. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ScriptedHttp, passOn } from '@srv/test-servers';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { logIn } from '@srv/test-servers/page-stage';
import { setStage } from './support/page.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

describe('failures in Chromium', { skip: needsChromium }, () => {
  let stage: Stage;
  let page: Page;
  before(async () => {
    stage = await setStage();
    ({ page } = stage);
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
  });
  after(() => stage?.close());

  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');
  const isTags = (url: URL): boolean => url.pathname === '/api/v1/repositories/lakes/tags';

  it('another attempt says that it is under way, and is not begun twice', async () => {
    const held: { abort(): Promise<void>; continue(): Promise<void> }[] = [];
    let isDown = true;
    await page.route(isTags, route => (isDown ? route.abort() : void held.push(route)));
    await stage.open('repositories/lakes/tags');
    await button('Try again').waitFor();
    isDown = false;
    await button('Try again').click();
    const busy = button('Trying again');
    await eventually(() => busy.getAttribute('aria-disabled'), 'true');
    await eventually(() => held.length, 1);
    await busy.click({ force: true });
    await busy.press('Enter');
    // An attempt that fails leaves the button for the next one.
    await held[0]?.abort();
    await button('Try again').click();
    await eventually(() => held.length, 2);
    await held[1]?.continue();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    assert.equal(held.length, 2);
    await page.unroute(isTags);
    stage.complaintsAbout(/ERR_FAILED/);
  });

  it('a refused form gives the focus back to the field that had it', async () => {
    await stage.open('repositories/lakes/branches');
    await button('Create Branch').click();
    const name = dialog().getByRole('textbox').first();
    for (let attempt = 0; attempt < 2; attempt++) {
      await name.fill('main');
      await name.press('Enter');
      await dialog().getByRole('alert').waitFor();
      await eventually(() => name.evaluate(element => element.matches(':focus')), true);
      await name.fill('');
    }
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    stage.complaintsAbout(/409/);
  });

  it('an archive beyond 4 GiB is refused by the sizes that are listed, before any object is fetched', async () => {
    for (const path of ['large/one', 'large/two', 'three', 'four'])
      await stage.client.uploadObject({ repository: 'lakes', branch: 'main', path, body: 'x' });
    const fetched: string[] = [];
    page.on('request', request => {
      if (/\/refs\/main\/objects\?/.test(request.url())) fetched.push(request.url());
    });
    // Each says that it is 3 GiB.
    await page.route(/\/refs\/main\/objects\/ls\?/, async route => {
      const response = await route.fetch();
      const { results, ...rest } = (await response.json()) as { readonly results: readonly { readonly path_type: string }[] };
      const large = results.map(item => (item.path_type === 'object' ? { ...item, size_bytes: 3 * 2 ** 30 } : item));
      await route.fulfill({ response, json: { ...rest, results: large } });
    });
    await stage.open('repositories/lakes/objects');
    for (const ticked of [['large/'], ['three', 'four']]) {
      for (const name of ticked) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
      await button('Download as zip').click();
      const refusal = page.getByText('This is more than 4 GiB. Download it with “cli fs download” instead.');
      await refusal.waitFor();
      await page.getByRole('button', { name: 'Dismiss' }).click();
      await refusal.waitFor({ state: 'detached' });
      await button('Clear selection').click();
    }
    await page.unrouteAll();
    assert.deepEqual(fetched, []);
    // A single one is fetched.
    await page.getByRole('checkbox', { name: 'Select three' }).check();
    const downloading = page.waitForEvent('download');
    await button('Download as zip').click();
    await downloading;
    assert.equal(fetched.length, 1);
  });

  it('a refused login leaves the focus on its button', async () => {
    const context = await stage.browser.newContext();
    try {
      const visitor = await context.newPage();
      await visitor.goto(stage.srv.url);
      await visitor.getByPlaceholder('Access Key ID').fill('wrong');
      await visitor.getByPlaceholder('Secret Access Key').fill('wrong');
      const login = visitor.getByRole('button', { name: 'Login' });
      await login.focus();
      await login.press('Enter');
      await visitor.getByRole('alert').waitFor();
      await eventually(() => login.evaluate(element => element.matches(':focus')), true);
    } finally {
      await context.close();
    }
  });

  it('an answer that breaks off is explained in words of the page', async () => {
    const broken = new Set<string>();
    const front = await ScriptedHttp.open((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://front');
      if (!broken.has(`${request.method} ${pathname}`)) return passOn(stage.srv.url, request, response);
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
      response.write('{"results":');
      setImmediate(() => response.destroy());
    });
    const context = await stage.browser.newContext();
    try {
      const own = await context.newPage();
      await logIn(own, { url: front.url, key: stage.srv.key });
      broken.add('GET /api/v1/repositories/lakes/tags');
      await own.goto(`${front.url}/repositories/lakes/tags`);
      await own.getByText('The connection broke before the whole answer arrived. Check the connection, then try again.').waitFor();
      broken.clear();
      await own.getByRole('button', { name: 'Try again' }).click();
      await own.getByRole('button', { name: 'Try again' }).waitFor({ state: 'detached' });
      broken.add('POST /api/v1/repositories/lakes/tags');
      await own.getByRole('button', { name: 'Create Tag' }).click();
      await own.getByRole('dialog').getByRole('textbox').first().fill('v1');
      await own.getByRole('dialog').getByRole('button', { name: 'Create' }).last().click();
      await own.getByText('Check the connection, and whether it was done, before you try again.').waitFor();
    } finally {
      await context.close();
      await front.close();
    }
  });
});
