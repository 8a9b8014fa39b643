/** Documents in Chromium: notebooks, Markdown with footnotes, texts of other encodings. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { setStage } from './support/page.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="green"/></svg>';

const objects: readonly (readonly [string, string | Buffer])[] = [
  [
    'new.ipynb',
    JSON.stringify({
      nbformat: 4,
      metadata: { language_info: { name: 'python' } },
      cells: [
        { cell_type: 'markdown', source: '# A notebook' },
        {
          cell_type: 'code',
          source: 'import pandas',
          outputs: [
            { output_type: 'display_data', data: { 'image/svg+xml': svg } },
            { output_type: 'execute_result', data: { 'text/html': '<table><tr><td>cell of a frame</td></tr></table>' } },
            {
              output_type: 'error',
              ename: 'KeyError',
              evalue: "'x'",
              traceback: ['Traceback (most recent call last)', "\u001b[0;31mKeyError\u001b[0m: 'x'"],
            },
          ],
        },
      ],
    }),
  ],
  ['old.ipynb', JSON.stringify({ nbformat: 3, worksheets: [{ cells: [{ cell_type: 'code', input: ['old_cell()'], outputs: [] }] }] })],
  [
    'large.ipynb',
    JSON.stringify({
      cells: [{ cell_type: 'code', source: 'large()', outputs: [{ output_type: 'stream', text: 'x'.repeat(25_000_000) }] }],
    }),
  ],
  ['notes.md', 'Text[^a].\n\n[^a]: What the note says.\n'],
  ['tasks.md', '- [ ] to do\n- [x] *done*\n- [not] a task\n\nLoose:\n\n1. [x] first\n\n2. [ ] second\n\n   and more\n'],
  ['damaged.parquet', 'PAR1 this is xxx, not one PAR1'],
  ['utf16.txt', Buffer.from('\ufeffgröße in UTF-16\n', 'utf16le')],
  ['damaged.txt', Buffer.concat([Buffer.from('größe und Übermaß'), Buffer.from([0xff]), Buffer.from('\n')])],
  ['bidi.py', 'access = "user\u202e"\n'],
];

describe('documents', { skip: needsChromium }, () => {
  let stage: Stage;
  let page: Page;
  before(async () => {
    stage = await setStage();
    ({ page } = stage);
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    for (const [path, body] of objects) await stage.client.uploadObject({ repository: 'lakes', branch: 'main', path, body });
  });
  after(() => stage?.close());
  const open = (path: string) => stage.open(`repositories/lakes/object?ref=main&path=${path}`);

  it('notebooks show pictures, frames and whole tracebacks', async () => {
    await open('new.ipynb');
    await page.getByRole('img', { name: 'Output of cell 2' }).evaluate(image => (image as { decode(): Promise<void> }).decode());
    await page.frameLocator('iframe').getByText('cell of a frame').waitFor();
    assert.match((await page.getByRole('region', { name: /^Output of cell 2, 3/ }).textContent()) ?? '', /Traceback.*KeyError: 'x'/s);
    const height = await page.locator('iframe').evaluate(frame => (frame as { clientHeight: number }).clientHeight);
    assert.ok(height < 120, `${height} pixels for a frame of one line`);
    await stage.check('notebook-outputs');
  });

  it('notebooks of older formats and of 25 MB open', async () => {
    await open('old.ipynb');
    await page.getByText('old_cell()').waitFor();
    await open('large.ipynb');
    await page.getByText('large()').waitFor();
  });

  it('tasks of Markdown are boxes, without the marks they are written with', async () => {
    await open('tasks.md');
    const items = page.locator('.prose li');
    const texts = (await items.allInnerTexts()).map(text => text.trim().replace(/\s+/g, ' '));
    assert.deepEqual(texts, ['to do', 'done', '[not] a task', 'first', 'second and more']);
    const boxes = page.locator('.prose').getByRole('checkbox', { name: 'Done', disabled: true });
    assert.equal(await boxes.count(), 4);
    assert.deepEqual(await Promise.all([0, 1, 2, 3].map(i => boxes.nth(i).isChecked())), [false, true, true, false]);
    await stage.check('markdown-tasks');
  });

  it('a damaged table says so, without another try', async () => {
    await open('damaged.parquet');
    await page.getByText('this Parquet file cannot be read: it is damaged, encrypted, or of another format').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
    await stage.check('damaged-table');
  });

  it('a request that is wrong is not offered again', async () => {
    await stage.open('repositories/Lakes!/objects');
    await page.getByRole('alert').getByText('repository id: invalid value').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
    stage.complaintsAbout(/400/);
  });

  it('Markdown has its footnotes', async () => {
    await open('notes.md');
    await page.getByRole('list', { name: 'Footnotes' }).getByText('What the note says.').waitFor();
    await page.locator('sup').getByRole('link', { name: '1' }).waitFor();
    await stage.check('footnotes');
  });

  it('texts of other encodings are read, and what turns their direction is spelled out', async () => {
    await open('utf16.txt');
    await page.getByText('größe in UTF-16').waitFor();
    await page.getByText('The text is UTF-16LE.').waitFor();
    await open('damaged.txt');
    await page.getByText('größe und Übermaß\ufffd').waitFor();
    await page.getByText('1 byte is not UTF-8').waitFor();
    await open('bidi.py');
    await eventually(() => page.locator('.source').textContent(), /user\\u\{202e\}/);
  });
});
