/** A third-party page part, named in `plugins.paths`, in a real browser in front of the real program. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@srv/engine/client';
import { accessibilityViolations, needsChromium, startChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { hasFeature } from '../feature-operations.js';
import { launchServer, repositoryRoot, temporaryFolder, untilUp } from '../programs.js';
import type { Browser } from '@srv/test-servers/chromium';
import type { RunningProcess } from '../processes.js';

const source = join(repositoryRoot, 'test', 'third-party', 'page', 'sizes.js');
const key = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };

it('the page part has fewer than 40 lines', () => {
  assert.ok(readFileSync(source, 'utf8').trimEnd().split('\n').length < 40);
});

describe('a third-party page part', { skip: needsChromium || (!hasFeature('ui') && 'needs the plugin ui') }, () => {
  const home = temporaryFolder({ after });
  let server: RunningProcess | undefined;
  let browser: Browser | undefined;
  let url = '';
  before(async () => {
    server = launchServer(home, '127.0.0.1:0', {
      SRV_PLUGINS_PATHS: [
        install('sizes', readFileSync(source, 'utf8')),
        install('broken', 'export default () => { throw new Error("not today"); };'),
      ].join(),
      SRV_INSTALLATION_USER_NAME: 'admin',
      SRV_INSTALLATION_ACCESS_KEY_ID: key.accessKeyId,
      SRV_INSTALLATION_SECRET_ACCESS_KEY: key.secretAccessKey,
    });
    url = await untilUp(server);
    const client = createClient({ endpointUrl: url, ...key });
    await client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    for (const [path, size] of [
      ['a.csv', 3000],
      ['b/c.csv', 96],
      ['d.txt', 100],
      ['e', 1],
    ] as const)
      await client.uploadObject({ repository: 'lakes', branch: 'main', path, body: 'x'.repeat(size) });
    client.close();
    browser = await startChromium();
  });
  after(async () => {
    await browser?.close();
    await server?.end('SIGKILL');
  });

  /** A package with a page part and nothing else. */
  function install(name: string, module: string): string {
    const folder = join(home, name);
    mkdirSync(folder);
    if (module === readFileSync(source, 'utf8')) copyFileSync(source, join(folder, 'page.js'));
    else writeFileSync(join(folder, 'page.js'), module);
    const srv = { api: 1, name, page: './page.js' };
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name: `strange-${name}`, version: '1.0.0', type: 'module', keywords: ['srv-plugin'], srv }),
    );
    return folder;
  }

  it('adds a tab with a chart; one that fails is named, and the page works', async () => {
    const page = (await browser?.newPage()) ?? assert.fail('no browser');
    page.setDefaultTimeout(30_000);
    await page.goto(`${url}/repositories/lakes/sizes`);
    await page.getByLabel('Access Key ID').fill(key.accessKeyId);
    await page.getByLabel('Secret Access Key').fill(key.secretAccessKey);
    await page.getByRole('button', { name: 'Login' }).click();
    await page.getByRole('img', { name: 'Sizes by extension: csv 3.0 KiB, txt 100 B, none 1 B' }).waitFor();
    await page.getByText('The page part of plugin broken does not work: not today').waitFor();
    await page.waitForLoadState('networkidle');
    await eventually(() => accessibilityViolations(page), []);
    await page.getByRole('link', { name: 'Data' }).click();
    await page.getByRole('link', { name: 'a.csv' }).waitFor();
    await page.getByRole('link', { name: 'Sizes' }).click();
    await page.getByRole('img', { name: /^Sizes by extension/ }).waitFor();
  });
});
