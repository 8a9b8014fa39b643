/** The shell in the page: the commands of `cli` in a worker, results as tables. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { setStage } from './support/page.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

describe('the shell in the page', { skip: needsChromium, timeout: 300_000 }, () => {
  let stage: Stage;
  let page: Page;
  before(async () => {
    stage = await setStage({
      plugins: ['auth', 'actions', 'branch-protection', 'gc', 'import'],
      config: { 'auth.ui_config.rbac': 'internal' },
    });
    ({ page } = stage);
    const { client } = stage;
    await client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    for (const [path, body] of [
      ['a.txt', 'alpha'],
      ['images/one.png', 'one'],
      ['images/two.png', 'twenty-two'],
    ] as const)
      await client.uploadObject({ repository: 'lakes', branch: 'main', path, body });
    await client.commit({ repository: 'lakes', branch: 'main', body: { message: 'first' } });
  });
  after(() => stage?.close());

  const input = () => page.getByRole('combobox', { name: /^Command at/ });
  const log = () => page.getByRole('region', { name: 'Output of the shell' });
  const last = () => log().locator('.shell-entry').last();
  /** Types a line and waits for its end. @returns what it said. */
  const type = async (line: string): Promise<string> => {
    const before = await log().locator('.shell-entry').count();
    await input().fill(line);
    await input().press('Enter');
    const entry = log().locator('.shell-entry').nth(before);
    await entry.locator('xpath=self::*[not(contains(@class, "running"))]').waitFor();
    return (await entry.innerText()).replace(/^.*\n?/, '');
  };

  it('opens with a key where the page is, runs commands and shows lists as tables', async () => {
    await stage.open('repositories/lakes/objects?ref=main');
    await page.keyboard.press('`');
    await input().waitFor();
    await page.getByText('lakes/main>', { exact: true }).waitFor();
    await type('ls');
    const table = last().getByRole('table');
    assert.deepEqual(await table.getByRole('row').count(), 3);
    await table.getByRole('link', { name: 'images/' }).waitFor();
    await stage.check('shell-dock');
    await table.getByRole('link', { name: 'a.txt' }).click();
    await page.getByText('alpha').waitFor();
    assert.match(page.url(), /object\?ref=main&path=a\.txt/);
    assert.equal(await input().count(), 1, 'the shell stays');
  });
});
