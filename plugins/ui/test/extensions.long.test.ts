/** What an operator adds to the page by configuration: viewers of objects, and snippets in its head. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import section from '../src/config.js';
import { setStage } from './support/page.js';
import type { Server } from 'node:http';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

/** Asks for the object, shows it, and tries what it must not. */
const viewerPage = `<!doctype html><title>Viewer</title><p id="text">nothing</p><p id="reach">unknown</p><script>
  addEventListener('message', ({ data }) => {
    document.getElementById('text').textContent = data.path + ': ' + new TextDecoder().decode(data.content);
  });
  parent.postMessage({ type: 'srv:ready' }, '*');
  try { parent.document.title; reach.textContent = 'reached'; } catch { reach.textContent = 'kept out'; }
</script>`;

describe('extensions by configuration', { skip: needsChromium }, () => {
  let other: Server;
  let host = '';
  let stage: Stage;
  let page: Page;
  before(async () => {
    other = createServer(({ url }, response) => {
      const isScript = url === '/count.js';
      response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' });
      response.end(isScript ? "document.documentElement.dataset.counted = 'yes';" : viewerPage);
    });
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    host = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    stage = await setStage({
      config: {
        'ui.custom_viewers': [
          { name: 'Waves', url: `${host}/viewer`, extensions: ['.wave'], content_types: ['application/x-wave'] },
          { name: 'Pages', url: '/assets/none', content_types: ['text/x-none'] },
        ],
        'ui.commit_metadata': [
          { key: 'ticket', label: 'Ticket', required: true },
          { key: 'stage', values: ['draft', '<b>final</b>'] },
          { key: 'surveyed', kind: 'date' },
          { key: 'unused' },
        ],
        'ui.snippets': [
          { id: 'greet-->', code: `<script>document.documentElement.dataset.greeted = 'yes';</script>` },
          { id: 'count', code: `<script async src="${host}/count.js"></script>`, hosts: [host] },
        ],
      },
    });
    ({ page } = stage);
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    for (const path of ['swell.wave', 'plain.txt'])
      await stage.client.uploadObject({ repository: 'lakes', branch: 'main', path, body: `content of ${path}` });
  });
  after(async () => {
    await stage?.close();
    other?.close();
  });

  it('a viewer gets the object it is for, and nothing else', async () => {
    await stage.open('repositories/lakes/object?ref=main&path=swell.wave');
    const frame = page.frameLocator('iframe[title="Waves"]');
    await frame.getByText('swell.wave: content of swell.wave').waitFor();
    await frame.getByText('kept out').waitFor();
    await stage.check('custom-viewer');
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    await page.getByText('content of swell.wave').waitFor();
    await eventually(() => page.locator('iframe').count(), 0);
    await stage.open('repositories/lakes/object?ref=main&path=plain.txt');
    await page.getByText('content of plain.txt').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Waves' }).count(), 0);
  });

  it('commits ask for the metadata that is configured', async () => {
    await stage.open('repositories/lakes/objects');
    await page.getByRole('button', { name: 'Commit Changes' }).click();
    const dialog = page.getByRole('dialog');
    const commit = () => dialog.getByRole('button', { name: 'Commit Changes' }).click();
    await dialog.getByLabel('Commit Message').fill('With its ticket');
    await commit();
    await dialog.getByText('Ticket is required').first().waitFor();
    await stage.check('commit-asked-metadata');
    await dialog.getByLabel('Ticket (required)').fill('LAKE-7');
    await eventually(() => dialog.getByLabel('stage').locator('option').allTextContents(), ['…', 'draft', '<b>final</b>']);
    await dialog.getByLabel('stage').selectOption('<b>final</b>');
    await dialog.getByLabel('surveyed').fill('2026-11-20');
    await dialog.getByRole('button', { name: 'Add Metadata field' }).click();
    await dialog.getByLabel('Key 1').fill('ticket');
    await commit();
    await dialog.getByText('Key ticket exists already').first().waitFor();
    await dialog.getByLabel('Key 1').fill('more');
    await dialog.getByLabel('Value 1').fill('1');
    await commit();
    await dialog.waitFor({ state: 'detached' });
    const [last] = (await stage.client.logCommits({ repository: 'lakes', ref: 'main', amount: 1 })).results;
    assert.deepEqual(last?.metadata, { ticket: 'LAKE-7', stage: '<b>final</b>', surveyed: '2026-11-20', more: '1' });
  });

  it('clients learn the viewers with the configuration', async () => {
    const { ui_config: config } = await stage.client.getConfig({});
    assert.deepEqual(config?.custom_viewers?.[0], {
      name: 'Waves',
      url: `${host}/viewer`,
      extensions: ['.wave'],
      content_types: ['application/x-wave'],
    });
  });

  it('snippets run, and no script beside them', async () => {
    const marks = 'document.documentElement.dataset';
    await page.waitForFunction(`${marks}.greeted === 'yes' && ${marks}.counted === 'yes'`);
    const answer = await fetch(`${stage.srv.url}/`, { headers: { accept: 'text/html' } });
    const policy = answer.headers.get('content-security-policy') ?? '';
    const scripts = policy.split('; ').find(part => part.startsWith('script-src ')) ?? '';
    assert.match(scripts, new RegExp(`^script-src 'self' 'wasm-unsafe-eval' 'sha256-[\\w+/=]+' ${host}$`));
    assert.doesNotMatch(policy, /unsafe-inline/);
    assert.match(policy, new RegExp(`frame-src 'self' blob: ${host};`));
    const html = await answer.text();
    assert.ok(html.includes('<!-- snippet: greet&#45;&#45;&#62; -->'), html);
    const inline = `document.body.setAttribute('onclick', "document.documentElement.dataset.inlined = 'yes'")`;
    await assert.rejects(page.evaluate(inline), /requires 'TrustedScript' assignment/);
    stage.complaintsAbout(/TrustedScript/);
    await stage.check('with-snippets');
  });
});

describe('the keys of extensions', () => {
  const decode = (name: 'ui.custom_viewers' | 'ui.snippets' | 'ui.commit_metadata', raw: unknown) => section.keys[name].decode(raw);

  it('take lists, or JSON of a variable', () => {
    const viewer = { name: 'Maps', url: 'https://maps.example.com/show', extensions: ['shp'] };
    const decoded = [{ ...viewer, content_types: [] }];
    assert.deepEqual(decode('ui.custom_viewers', [viewer]), decoded);
    assert.deepEqual(decode('ui.custom_viewers', JSON.stringify([viewer])), decoded);
    assert.deepEqual(decode('ui.snippets', ''), []);
    assert.deepEqual(decode('ui.commit_metadata', [{ key: 'ticket' }]), [
      { key: 'ticket', label: undefined, kind: 'text', required: false, values: [] },
    ]);
  });

  it('say what is wrong', () => {
    for (const [name, raw, message] of [
      ['ui.custom_viewers', 'maps', 'a list of records; in a variable, as JSON'],
      ['ui.custom_viewers', '{"name":"Maps"}', 'a list of records, not a record'],
      ['ui.custom_viewers', 3, 'a list of records, not the number 3'],
      ['ui.custom_viewers', ['maps'], 'a list of records; item 1 is the text "maps"'],
      ['ui.custom_viewers', [{ name: 'Maps', url: '/maps' }, null], 'a list of records; item 2 is empty'],
      ['ui.custom_viewers', [[]], 'a list of records; item 1 is a list'],
      ['ui.custom_viewers', [{ name: 'Maps' }], /a text as url of item 1/],
      ['ui.custom_viewers', [{ name: 'Maps', url: 'javascript:alert(1)' }], /an http or https URL, .* as url of item 1/],
      ['ui.custom_viewers', [{ name: 'Maps', url: '//other.example.com' }], /as url of item 1/],
      [
        'ui.custom_viewers',
        [{ name: 'Maps', url: '/maps', kinds: [] }],
        /^records with the fields name, url, .*; item 1 has the unknown field kinds$/,
      ],
      ['ui.commit_metadata', [{ key: 'ticket', required: 'yes' }], 'true or false as required of item 1'],
      ['ui.commit_metadata', [{ key: 'ticket', kind: 'number' }], 'one of text, date as kind of item 1'],
      ['ui.commit_metadata', [{ label: 'Ticket' }], 'a text as key of item 1'],
      [
        'ui.snippets',
        [{ id: 'a', code: 'b', hosts: ["https://x.example.com 'unsafe-inline'"] }],
        /a list of origins .* as hosts of item 1/,
      ],
      ['ui.snippets', [{ id: 'a', code: 'b', hosts: ['https://x.example.com/path'] }], /a list of origins/],
    ] as const)
      assert.throws(() => decode(name, raw), { message });
  });
});
