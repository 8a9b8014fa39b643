/** What lists say beyond names: last commits, owners, what is uncommitted. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { setStage } from './support/page.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

describe('lists that say more, in Chromium', { skip: needsChromium }, () => {
  let stage: Stage;
  let page: Page;
  before(async () => {
    stage = await setStage();
    ({ page } = stage);
    for (const name of ['lakes', 'rivers', 'seas'])
      await stage.client.createRepository({ body: { name, storage_namespace: `local://${name}` } });
    await put('main', 'a.txt', 'a');
    await put('main', 'deep/b.txt', 'b');
    await commit('main', 'The first one\nand more');
    await put('main', 'deep/c.txt', 'c');
    await commit('main', '<b>The second</b> one');
    await stage.client.createBranch({ repository: 'lakes', body: { name: 'try', source: 'main' } });
    await put('try', 'committed.txt', 'committed');
    await commit('try', 'The third one');
    await put('try', 'a.txt', 'A, uncommitted');
    await put('try', 'new.txt', 'uncommitted');
  });
  after(() => stage?.close());

  const put = (branch: string, path: string, body: string) => stage.client.uploadObject({ repository: 'lakes', branch, path, body });
  const commit = (branch: string, message: string) => stage.client.commit({ repository: 'lakes', branch, body: { message } });
  const button = (name: string) => page.getByRole('button', { name });
  const rowOf = (text: string) => page.getByRole('row').filter({ hasText: text });

  it('the listing shows the last commit of each row, by one request', async () => {
    const asked: string[] = [];
    page.on('request', request => {
      if (request.url().includes('/last_commits')) asked.push(request.postData() ?? '');
    });
    await stage.open('repositories/lakes/objects?ref=try');
    await rowOf('a.txt').getByRole('link', { name: 'The first one' }).waitFor();
    await rowOf('deep/').getByRole('link', { name: '<b>The second</b> one' }).waitFor();
    await rowOf('committed.txt').getByRole('link', { name: 'The third one' }).waitFor();
    await rowOf('new.txt').getByRole('cell', { name: 'uncommitted', exact: true }).waitFor();
    // What is uncommitted may not be known yet when the rows come.
    assert.deepEqual(
      asked.map(body => (JSON.parse(body) as { paths: string[] }).paths.filter(path => path !== 'new.txt').toSorted()),
      [['a.txt', 'committed.txt', 'deep/']],
    );
    await stage.check('objects-blame');
    await stage.open('repositories/lakes/objects?ref=main&path=deep/');
    await rowOf('c.txt').getByRole('link', { name: '<b>The second</b> one' }).click();
    await page.getByRole('heading', { name: '<b>The second</b> one' }).waitFor();
    // It can be switched off, in this browser, for every folder.
    asked.length = 0;
    await stage.open('repositories/lakes/objects');
    await button('Last commit of each row').click();
    await page.getByRole('columnheader', { name: 'Last commit' }).waitFor({ state: 'detached' });
    asked.length = 0;
    await page.reload();
    await rowOf('a.txt').waitFor();
    await stage.settled();
    assert.equal(await page.getByRole('columnheader', { name: 'Last commit' }).count(), 0);
    assert.deepEqual(asked, []);
    await button('Last commit of each row').click();
    await rowOf('a.txt').getByRole('link', { name: 'The first one' }).waitFor();
    // Narrow windows have no room for it, and do not ask.
    await page.setViewportSize({ width: 390, height: 800 });
    asked.length = 0;
    await page.reload();
    await rowOf('a.txt').waitFor();
    await stage.settled();
    assert.deepEqual(asked, []);
    await page.setViewportSize({ width: 1280, height: 800 });
    await rowOf('a.txt').getByRole('link', { name: 'The first one' }).waitFor();
  });

  it('repositories show what they are for and whose they are', async () => {
    const set = (repository: string, metadata: Record<string, string>) =>
      stage.client.setRepositoryMetadata({ repository, body: { metadata } });
    await set('lakes', { description: 'All lakes <b>of the world</b>', owner: 'Ann' });
    await set('rivers', { Owner: 'Bob\u202e', other: 'nothing' });
    await stage.open('repositories');
    await rowOf('lakes').getByText('All lakes <b>of the world</b> · owner: Ann').waitFor();
    await rowOf('rivers')
      .getByText(/^owner: Bob.+/)
      .waitFor();
    assert.doesNotMatch((await rowOf('rivers').textContent()) ?? '', /\u202e/);
    await rowOf('seas').getByText('local://seas').waitFor();
    await stage.check('repositories-about');
  });

  it('compares the uncommitted changes of a branch with another ref', async () => {
    await stage.open('repositories/lakes/compare?ref=main&compare=try');
    await page.getByText('1 change', { exact: true }).waitFor();
    const box = page.getByLabel('With what is uncommitted on try');
    await box.check();
    await page.getByText('3 differences, uncommitted ones included').waitFor();
    for (const name of ['a.txt', 'committed.txt', 'new.txt']) await page.getByText(name, { exact: true }).waitFor();
    await button('Show object changes of a.txt').click();
    await page.getByText('A, uncommitted').waitFor();
    await stage.check('compare-uncommitted');
    // With itself, a branch differs by what is uncommitted.
    await stage.open('repositories/lakes/compare?ref=try&compare=try&uncommitted=true');
    await page.getByText('2 differences, uncommitted ones included').waitFor();
    await page.getByLabel('With what is uncommitted on try').uncheck();
    await page.getByText("There isn't anything to compare").waitFor();
    await stage.open('repositories/lakes/compare?ref=try&compare=main&uncommitted=true');
    await page.getByText('3 differences, uncommitted ones included').waitFor({ state: 'detached' });
    await page.getByText('1 difference, uncommitted ones included').waitFor();
    await stage.open(`repositories/lakes/compare?ref=try&compare=main~1&uncommitted=true`);
    await page.getByText('There').or(page.getByText('No changes')).first().waitFor();
    await stage.settled();
    assert.equal(await page.getByLabel(/With what is uncommitted/).count(), 0);
  });
});
