/** Lists of any length, and how much a browser loads before it shows anything. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { needsChromium, startChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { listen, picture } from '@srv/test-servers/page-stage';
import { busiestTask } from './support/busiest-task.js';
import { startPageOnly } from './support/canned.js';
import type { TestContext } from 'node:test';
import type { Browser, Page } from '@srv/test-servers/chromium';
import type { CannedServer } from './support/canned.js';

/** Script of the first view, in bytes, compressed with gzip. */
const mostScript = 60 * 1024;
const objects = 100_000;
const branches = 10_000;

/** Runs in the browser: keeps the milliseconds of everything that held it up for more than 50. */
function watchLongTasks(): void {
  const { PerformanceObserver } = globalThis as unknown as {
    PerformanceObserver: new (
      seen: (list: { getEntries(): readonly { readonly duration: number }[] }) => void,
    ) => { observe(options: object): void };
  };
  const longTasks: number[] = [];
  Object.assign(globalThis, { longTasks });
  new PerformanceObserver(list => longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
    type: 'longtask',
    buffered: true,
  });
}

describe('the page in front of very long lists', { skip: needsChromium }, () => {
  let server: CannedServer;
  let browser: Browser;
  let page: Page;
  let complaints: string[] = [];
  before(async () => {
    server = await startPageOnly({ objects, branches });
    browser = await startChromium({ own: true });
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(30_000);
    complaints = listen(page);
    await page.addInitScript(watchLongTasks);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  /** What held the browser up depends on what else the machine does: it is reported, not asserted. */
  const tellLongTasks = async (t: TestContext): Promise<void> => {
    const found = await page.evaluate(() => (globalThis as unknown as { longTasks: number[] }).longTasks.splice(0));
    t.diagnostic(`tasks over 50 ms: ${found.length === 0 ? 'none' : found.map(Math.round).join(', ')}`);
  };

  it('loads little script before the browser of objects stands', async t => {
    const scripts = new Map<string, Promise<number>>();
    page.on('response', response => {
      if (!response.url().endsWith('.js')) return;
      const size = response.body().then(body => gzipSync(body, { level: 9 }).length);
      // Awaited below, where a failure counts.
      size.catch(() => undefined);
      scripts.set(response.url(), size);
    });
    const busiest = await busiestTask(page.context(), page, async () => {
      await page.goto(`${server.url}/repositories/lakes/objects`);
      await page.getByRole('link', { name: 'object-000000.txt' }).waitFor();
      await page.waitForLoadState('networkidle');
    });
    assert.ok(busiest > 0);
    t.diagnostic(`the longest task took ${busiest.toFixed(0)} ms of the processor`);
    const total = (await Promise.all(scripts.values())).reduce((sum, size) => sum + size, 0);
    assert.ok(scripts.size > 0 && total < mostScript, `${total} bytes of script in ${scripts.size} files`);
    page.removeAllListeners('response');
    await tellLongTasks(t);
  });

  it('draws the rows in sight of 100,000 objects, wherever one is', async t => {
    const rows = () => page.locator('main [role=row]').count();
    assert.ok((await rows()) < 60, `${await rows()} rows are drawn`);
    const shown = () => page.locator('main [role=table]').getAttribute('aria-rowcount');
    for (let count = Number(await shown()); count < 5000; count = Number(await shown())) {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      await page.locator(`main [role=table]:not([aria-rowcount="${count}"])`).waitFor();
    }
    await eventually(async () => (await rows()) < 120, true, 'no more rows are drawn than are in sight');
    await page.evaluate('scrollTo(0, 2000 * 38)');
    await page
      .getByRole('link', { name: /^object-00(?:19|20)/ })
      .first()
      .waitFor();
    await picture(page, 'scale-objects');
    await tellLongTasks(t);
  });

  it('finds by any part of the name among all of them', async t => {
    await page.evaluate('scrollTo(0, 0)');
    await page.getByRole('searchbox', { name: 'Find in this folder' }).fill('99987');
    await page.getByRole('link', { name: 'object-099987.txt' }).waitFor();
    await page.getByText(/^1 of 100,000 names contain/).waitFor();
    await tellLongTasks(t);
  });

  it('finds a branch among 10,000', async t => {
    await page.goto(`${server.url}/repositories/lakes/branches`);
    await page.getByRole('link', { name: 'branch-00000' }).waitFor();
    assert.ok((await page.locator('main [role=row]').count()) < 120);
    await page.getByRole('searchbox', { name: 'Find a branch' }).fill('9998');
    await page.getByRole('link', { name: 'branch-09998' }).waitFor();
    await page.getByRole('button', { name: 'Copy as command' }).waitFor();
    assert.deepEqual(complaints, []);
    await tellLongTasks(t);
  });
});
