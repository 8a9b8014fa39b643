/** Tables of any size in Chromium: rows to the last one, all rows in filters and sums, and little fetched for what is in sight. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { findPython, runPython } from '@srv/test-servers/python';
import { setStage } from './support/page.js';
import { testFolder } from './table-reading.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

const python = findPython('pyarrow');

interface Expected {
  readonly rows: number;
  readonly nulls: number;
  readonly least: string;
  readonly greatest: string;
  /** Rows with the greatest prices, greatest first. */
  readonly top: readonly number[];
  readonly above: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly diff: { readonly added: number; readonly removed: number; readonly changed: number; readonly same: number };
}

const grouped = (value: number): string => value.toLocaleString('en');

describe('large tables', { skip: needsChromium || (python === undefined && 'needs a Python with pyarrow (SRV_TEST_PYTHON)') }, () => {
  let stage: Stage;
  let page: Page;
  let expected: Expected;
  let fetched = 0;
  before(async () => {
    const folder = scratchFolder();
    await runPython(python ?? '', [join(testFolder, 'large-tables.py'), folder]);
    expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Expected;
    stage = await setStage();
    ({ page } = stage);
    const put = (branch: string, path: string, file: string) =>
      stage.client.uploadObject({ repository: 'lakes', branch, path, body: readFileSync(join(folder, file)) });
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    for (const file of ['large.parquet', 'wide.parquet', 'long.parquet', 'one-group.parquet', 'wide.csv']) await put('main', file, file);
    await put('main', 'changed.parquet', 'before.parquet');
    await stage.client.commit({ repository: 'lakes', branch: 'main', body: { message: 'Tables' } });
    await stage.client.createBranch({ repository: 'lakes', body: { name: 'next', source: 'main' } });
    await put('next', 'changed.parquet', 'after.parquet');
    // Requests of workers are seen by the context only.
    page.context().on('response', response => {
      if (response.url().includes('/objects?')) fetched += Number(response.headers()['content-length'] ?? 0);
    });
  });
  after(() => stage?.close());

  const open = (path: string) => stage.open(`repositories/lakes/object?ref=main&path=${path}`);
  /** Of a drawn row, by its place on the page. */
  const cell = (row: number, column: number) => page.locator(`tr[aria-rowindex="${row + 2}"] td[aria-colindex="${column + 1}"]`);
  const number = (row: number) => page.locator(`tr[aria-rowindex="${row + 2}"] th`).textContent();

  it('are opened by what is in sight of them', async t => {
    fetched = 0;
    const began = performance.now();
    await page.goto(`${stage.srv.url}/repositories/lakes/object?ref=main&path=large.parquet`);
    await cell(0, 0).getByText('0', { exact: true }).waitFor();
    t.diagnostic(`${Math.round(performance.now() - began)} ms until rows are drawn`);
    await page.getByText('10,000,000 rows · 5 columns').waitFor();
    await stage.settled();
    assert.ok(fetched > 0 && fetched < 3 * 2 ** 20, `${fetched} bytes`);
    await open('one-group.parquet');
    fetched = 0;
    await cell(0, 1).waitFor();
    assert.ok(fetched < 3 * 2 ** 20, `${fetched} bytes of one row group`);
  });

  it('are shown to the last row, and from any row', async () => {
    await open('large.parquet');
    await page.getByRole('button', { name: 'Last', exact: true }).click();
    await page.getByText('Rows 9,999,001 to 10,000,000').waitFor();
    await eventually(() => cell(0, 0).textContent(), '9999000');
    await page.getByRole('textbox', { name: 'Go to row' }).fill('1234567');
    await page.keyboard.press('Enter');
    await eventually(() => cell(0, 0).textContent(), '1234566');
    await stage.check('large-table');
  });

  it('are filtered and sorted as a whole', async t => {
    await open('large.parquet');
    await page.getByRole('button', { name: 'Condition' }).click();
    await page.getByRole('combobox', { name: 'Column' }).selectOption('1');
    await page.getByRole('combobox', { name: 'Condition' }).selectOption('>');
    await page.getByRole('textbox', { name: 'Value' }).fill('999.9');
    await page.getByText(`${grouped(expected.above)} rows of 10,000,000`).waitFor();
    await stage.check('large-table-filtered');
    const began = performance.now();
    await page.getByRole('button', { name: 'price' }).click();
    await page.getByRole('button', { name: 'price ↑' }).click();
    await page.getByRole('button', { name: 'price ↓' }).waitFor();
    await eventually(
      async () => [await number(0), await number(1), await number(2)],
      expected.top.map(row => grouped(row + 1)),
    );
    await eventually(() => cell(0, 1).textContent(), expected.greatest);
    t.diagnostic(`${Math.round(performance.now() - began)} ms until sorted`);
  });

  it('have sums of their columns over all rows, which can be stopped', async t => {
    await open('large.parquet');
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    const row = (name: string) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
    // What the file itself says.
    await row('id').getByText('9999999').waitFor();
    await page.getByRole('button', { name: 'Look at all rows' }).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped before all rows were looked at.').waitFor();
    const began = performance.now();
    await page.getByRole('button', { name: 'Start again' }).click();
    const cells = async (name: string) => (await row(name).locator('td').allTextContents()).slice(1, 5);
    await page.locator('.work').waitFor({ state: 'detached' });
    const [nulls, , least, greatest] = await cells('price');
    assert.deepEqual([nulls, least, greatest], [grouped(expected.nulls), expected.least, expected.greatest]);
    t.diagnostic(`${Math.round(performance.now() - began)} ms for the sums of 10,000,000 rows`);
    assert.deepEqual(await cells('name'), ['0', '50', 'name 0', 'name 9']);
    const [name = '', count] = await row('name').locator('li').first().locator('span').allTextContents();
    assert.equal(count, grouped(expected.counts[name] ?? 0), name);
    assert.equal(expected.counts[name], Math.max(...Object.values(expected.counts)));
    await stage.check('column-summaries');
  });

  it('are compared row by row', async t => {
    await stage.open('repositories/lakes/objects?ref=next&showChanges=true');
    const began = performance.now();
    await page.getByRole('button', { name: 'Show object changes of changed.parquet' }).click();
    const { added, removed, changed, same } = expected.diff;
    await page.getByText(`${grouped(same)} rows the same · rows matched by id`).waitFor();
    t.diagnostic(`${Math.round(performance.now() - began)} ms to compare 300,000 rows`);
    for (const [count, what] of [
      [added, 'added'],
      [removed, 'removed'],
      [changed, 'changed'],
    ] as const)
      await page.getByText(`${grouped(count)} rows ${what}`).waitFor();
    await page
      .getByRole('cell', { name: /^name [0-9]+ other$/ })
      .first()
      .waitFor();
    await stage.check('large-table-diff');
  });

  it('of many columns or long texts are drawn in part', async () => {
    await open('wide.parquet');
    await page.getByText('4 rows · 5,000 columns').waitFor();
    await cell(0, 0).getByText('0').waitFor();
    assert.ok((await page.locator('.grid-table td').count()) < 400);
    await page.locator('.scroll').evaluate(box => ((box as unknown as { scrollLeft: number }).scrollLeft = 1e9));
    await eventually(() => cell(0, 4999).textContent(), '4999');
    await open('wide.csv');
    await page.getByText('3,000 rows · 300 columns').waitFor();
    await cell(3, 2).getByText('3/2').waitFor();
    assert.ok((await page.locator('*').count()) < 4000, 'few elements');
    await open('long.parquet');
    await page.getByRole('button', { name: '10,485,760 characters' }).first().click();
    await page.getByRole('dialog').getByText('This is the first 1.0 MiB').waitFor();
    await stage.check('long-cell');
  });
});
