/** The shell with as many rows as it shows. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { needsChromium, startChromium } from '@srv/test-servers/chromium';
import { listen, picture } from '@srv/test-servers/page-stage';
import { startPageOnly } from './support/canned.js';
import type { Browser, Page } from '@srv/test-servers/chromium';
import type { CannedServer } from './support/canned.js';

describe('the shell with 100,000 rows', { skip: needsChromium }, () => {
  let server: CannedServer;
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  before(async () => {
    server = await startPageOnly({ objects: 100_000, branches: 1 });
    browser = await startChromium({ own: true });
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(60_000);
    complaints = listen(page);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  it('draws those in sight, and sorts all', async () => {
    await page.goto(`${server.url}/repositories/lakes/objects?ref=main`);
    await page.getByRole('link', { name: 'object-000000.txt' }).waitFor();
    await page.keyboard.press('`');
    const line = page.getByRole('combobox', { name: /^Command at/ });
    await line.fill('ls');
    await line.press('Enter');
    const result = page.getByRole('region', { name: 'Result of ls' });
    await page.getByText('100,000 rows', { exact: true }).waitFor();
    await result.getByRole('link', { name: 'object-000000.txt' }).waitFor();
    const drawn = (): Promise<number> => result.getByRole('row').count();
    assert.ok((await drawn()) < 120, `${await drawn()} rows are drawn`);
    await result.getByRole('button', { name: 'path', exact: true }).click();
    await result.getByRole('button', { name: 'path ↑' }).click();
    await result.getByRole('link', { name: 'object-099999.txt' }).waitFor();
    await result.evaluate('document.querySelector(".shell-scroll").scrollTop = 50000 * 28');
    await result.getByRole('link', { name: 'object-050000.txt' }).waitFor();
    assert.ok((await drawn()) < 120, `${await drawn()} rows are drawn`);
    await line.fill('_.length');
    await line.press('Enter');
    await page.locator('.shell-text', { hasText: '100000' }).last().waitFor();
    await picture(page, 'shell-scale');
    assert.deepEqual(complaints, []);
  });
});
