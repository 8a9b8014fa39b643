/** What stands around views: heads that stay in sight, frames while something is loaded, ways on from what is missing or broken. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { setStage } from './support/page.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

const files = 200;

describe('the frame around views, in Chromium', { skip: needsChromium }, () => {
  let stage: Stage;
  let page: Page;
  before(async () => {
    stage = await setStage();
    ({ page } = stage);
    const at = { repository: 'lakes', branch: 'main' };
    for (const name of ['lakes', 'rivers']) await stage.client.createRepository({ body: { name, storage_namespace: `local://${name}` } });
    for (let i = 0; i < files; i++) await stage.client.uploadObject({ ...at, path: `file-${String(i).padStart(3, '0')}.txt`, body: 'x\n' });
    await stage.client.commit({ ...at, body: { message: 'Files' } });
    for (let i = 0; i < 40; i++) await stage.client.commit({ ...at, body: { message: `Commit ${i}`, allow_empty: true } });
    for (let i = 0; i < 40; i++) await stage.client.createBranch({ repository: 'lakes', body: { name: `branch-${i}`, source: 'main' } });
  });
  after(() => stage?.close());

  /** Pixels below the upper edge of the window; -1 if there is no such element. In one step of the page: an element may be replaced between two. */
  const topOf = (selector: string): Promise<number> =>
    page.evaluate(`Math.round(document.querySelector(${JSON.stringify(selector)})?.getBoundingClientRect().y ?? -1)`);

  it('toolbars of lists and heads of their rows stay in sight, one below the other', async () => {
    for (const [path, hasHead] of [
      ['repositories/lakes/objects', true],
      ['repositories/lakes/branches', true],
      ['repositories/lakes/commits', false],
    ] as const) {
      await stage.open(path);
      const before = await topOf('.list-page > .toolbar');
      await page.evaluate('scrollTo(0, 900)');
      await eventually(() => topOf('.list-page > .toolbar'), 52, path);
      assert.ok(before > 52);
      if (!hasHead) continue;
      const toolbar = await page.locator('.list-page > .toolbar').boundingBox();
      await eventually(() => topOf('.rows-head'), Math.round(52 + (toolbar?.height ?? 0)), path);
      // What is under the middle of the head is the head, not a row.
      const hit = await page.evaluate(
        `(() => { const box = document.querySelector('.rows-head').getBoundingClientRect(); return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2).closest('.rows-head') !== null; })()`,
      );
      assert.equal(hit, true, path);
    }
    await page.setViewportSize({ width: 390, height: 800 });
    await page.evaluate('scrollTo(0, 900)');
    await eventually(async () => (await topOf('.list-page > .toolbar')) < 0, true, 'narrow windows have no room for them');
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('rows of lists fit into narrow windows, in two lines at most', async () => {
    const long = 'a-rather-long-name-'.repeat(8);
    await stage.client.uploadObject({ repository: 'lakes', branch: 'branch-1', path: `wide/${long}.csv`, body: 'x' });
    const message = `${'A long title of a commit '.repeat(8)}\n\nand its text`;
    await stage.client.commit({ repository: 'lakes', branch: 'branch-1', body: { message } });
    await stage.client.uploadObject({ repository: 'lakes', branch: 'branch-1', path: `wide/new-${long}.csv`, body: 'x' });
    await stage.client.createTag({ repository: 'lakes', body: { id: `tag-${long}`, ref: 'branch-1' } });
    await stage.client.createBranch({ repository: 'lakes', body: { name: `branch-${long}`, source: 'branch-1' } });
    await page.setViewportSize({ width: 390, height: 800 });
    for (const path of [
      'repositories',
      'repositories/lakes/objects?ref=branch-1&path=wide/',
      'repositories/lakes/objects?ref=branch-1&filter=*.csv',
      'repositories/lakes/commits?ref=branch-1',
      'repositories/lakes/branches?prefix=branch-a',
      'repositories/lakes/tags',
    ]) {
      await stage.open(path);
      await page.locator('.rows .row:not(.head-row)').first().waitFor();
      const tooHigh = await page.evaluate(
        `[...document.querySelectorAll('.rows .row:not(.head-row)')].filter(row => { const { height, bottom, right } = row.getBoundingClientRect(); return height > 56 || right > innerWidth || [...row.querySelectorAll('*')].some(part => part.getClientRects().length > 0 && part.getBoundingClientRect().bottom > bottom + 1 && !part.closest('.unseen, svg')); }).map(row => row.innerText)`,
      );
      assert.deepEqual(tooHigh, [], path);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('toolbars of a branch with something uncommitted take few lines in narrow windows', async () => {
    const branch = 'feature-of-a-rather-long-name';
    await stage.client.createBranch({ repository: 'lakes', body: { name: branch, source: 'main' } });
    await stage.client.uploadObject({ repository: 'lakes', branch, path: 'a-table.csv', body: 'a,b\n1,2\n' });
    await stage.client.uploadObject({ repository: 'lakes', branch, path: 'a-picture.png', body: 'x' });
    const toolbar = page.locator('main .toolbar').first();
    const ref = encodeURIComponent(branch);
    for (const [path, lines, names] of [
      [`objects?ref=${ref}`, 2, ['Uncommitted Changes', 'Commit Changes', 'Revert', 'As One Table', 'As Pictures', 'Refresh', 'Upload']],
      [`objects?ref=${ref}&showChanges=true`, 2, ['Uncommitted Changes', 'Commit Changes', 'Revert', 'Refresh', 'Upload']],
      [`object?ref=${ref}&path=a-table.csv`, 1, ['Blame', 'Object Info']],
      [`compare?ref=main&compare=${ref}`, 3, ['Swap the sides', 'Refresh', /^Merge/]],
      [`commits?ref=${ref}`, 2, ['Refresh']],
    ] as const) {
      await page.setViewportSize({ width: 390, height: 800 });
      await stage.open(`repositories/lakes/${path}`);
      for (const name of names) await toolbar.getByRole('button', { name, exact: true }).waitFor();
      const { height, right } = (await page.evaluate(
        `(() => { const { height, right } = document.querySelector('main .toolbar').getBoundingClientRect(); const parts = [...document.querySelectorAll('main .toolbar :is(button, a, input)')]; return { height, right: Math.max(right, ...parts.map(part => part.getBoundingClientRect().right)) }; })()`,
      )) as { readonly height: number; readonly right: number };
      // A line has 34 pixels, and 8 to the next one.
      assert.ok(height <= lines * 42, `${path}: the toolbar is ${height} pixels high`);
      assert.ok(right <= 390, `${path}: the toolbar ends at ${right}`);
      await stage.check(`narrow-${path.split('?')[0]}`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('heads of lists in boxes that scroll separately stand above their first row', async () => {
    await stage.open('repositories/lakes/objects');
    await page.getByRole('button', { name: 'Shell (`)' }).click();
    await page.getByRole('button', { name: 'branch list' }).click();
    const list = page.getByRole('region', { name: 'Output of the shell' });
    await list.getByText('branch-0', { exact: true }).waitFor();
    const distance = (): Promise<number> =>
      page.evaluate(
        `(() => { const [head, body] = document.querySelectorAll('.shell-log [role="rowgroup"]'); return Math.round(body.getBoundingClientRect().top - head.getBoundingClientRect().bottom); })()`,
      );
    assert.equal(await distance(), 0);
    await page.getByRole('button', { name: 'Close the shell' }).click();
  });

  it('the shell begins with lines that can be clicked', async () => {
    await page.goto(`${stage.srv.url}/shell`);
    await stage.check('shell-beginning');
    await page.getByRole('button', { name: 'repo list' }).click();
    await page.getByRole('region', { name: 'Output of the shell' }).getByText('rivers').first().waitFor();
  });

  it('a list that loads is drawn as rows, and moves nothing when it comes', async () => {
    const waiting: (() => void)[] = [];
    await page.route('**/api/v1/repositories/lakes/refs/main/objects/ls?**', route => {
      waiting.push(() => void route.continue());
    });
    await page.addInitScript(() => {
      const shifts: number[] = [];
      Object.assign(globalThis, { shifts });
      const { PerformanceObserver } = globalThis as unknown as {
        PerformanceObserver: new (
          seen: (list: { getEntries(): readonly { readonly value: number }[] }) => void,
        ) => { observe(options: object): void };
      };
      new PerformanceObserver(list => shifts.push(...list.getEntries().map(({ value }) => value))).observe({
        type: 'layout-shift',
        buffered: true,
      });
    });
    await page.goto(`${stage.srv.url}/repositories/lakes/objects?ref=main`);
    // Two views before the list draw such rows as well: for the repository, and for the ref.
    await eventually(() => waiting.length > 0, true);
    const [before, head] = [await topOf('.skeleton.of-rows > span'), await topOf('.rows-head')];
    assert.ok(head > 0 && before > head);
    for (const go of waiting.splice(0)) go();
    await page.unrouteAll();
    await page.getByRole('link', { name: 'file-000.txt' }).waitFor();
    await stage.settled();
    assert.equal(await topOf('.rows-head'), head);
    assert.equal(await topOf('.objects-row:not(.head-row)'), before);
    const total = Number(await page.evaluate('shifts.reduce((sum, each) => sum + each, 0)'));
    assert.ok(total < 0.02, `layout shift of ${total}`);
  });

  it('a ref that does not exist keeps the picker', async () => {
    stage.complaintsAbout(/404|400/);
    for (const view of ['objects?ref=gone', 'commits?ref=gone', 'compare?ref=main&compare=gone', 'object?ref=gone&path=file-000.txt']) {
      await stage.open(`repositories/lakes/${view}`);
      await page
        .getByText(/There is no .*gone|not found/i)
        .first()
        .waitFor();
      await page.getByRole('button', { name: /gone$/ }).click();
      await page.getByRole('option', { name: 'main', exact: true }).click();
      await eventually(() => page.url().includes('gone'), false, view);
      await page.getByText(/There is no .*gone/).waitFor({ state: 'detached' });
      await stage.settled();
      stage.complaintsAbout(/404|400/);
    }
  });

  it('a repository that does not exist leads to others', async () => {
    await stage.open('repositories/lake/objects');
    await page.getByRole('heading', { name: 'There is no repository lake' }).waitFor();
    stage.complaintsAbout(/404/);
    await page.getByRole('link', { name: 'rivers' }).waitFor();
    await page.getByPlaceholder('Find a repository').fill('lak');
    await page.getByRole('link', { name: 'rivers' }).waitFor({ state: 'detached' });
    await stage.check('missing-repository');
    stage.complaintsAbout(/404/);
    await page.getByRole('link', { name: 'lakes' }).click();
    await page.getByRole('link', { name: 'file-000.txt' }).waitFor();
  });

  it('a view that fails while it is drawn leaves the rest of the page, and comes again', async () => {
    let isBroken = true;
    await page.route('**/api/v1/repositories/lakes/branches?**', route =>
      isBroken
        ? route.fulfill({ json: { results: [null], pagination: { has_more: false, next_offset: '', results: 1, max_per_page: 1 } } })
        : route.continue(),
    );
    await page.goto(`${stage.srv.url}/repositories/lakes/branches`);
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    // The tabs still lead to views that work, and back to the one that does not.
    await page.getByRole('link', { name: 'Tags' }).click();
    await page.getByRole('link', { name: /^tag-a-rather/ }).waitFor();
    await page.getByRole('link', { name: 'Branches' }).click();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    isBroken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'branch-0', exact: true }).waitFor();
    await page.unrouteAll();
    stage.complaintsAbout(/null|undefined/);
    // A view outside any repository fails on its own, too.
    await page.route('**/api/v1/repositories?**', route =>
      route.fulfill({ json: { results: [null], pagination: { has_more: false, next_offset: '', results: 1, max_per_page: 1 } } }),
    );
    await page.getByRole('link', { name: 'Repositories' }).first().click();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.unrouteAll();
    await page.goBack();
    await page.getByRole('link', { name: 'branch-0', exact: true }).waitFor();
    stage.complaintsAbout(/null|undefined/);
  });
});
