/** Large tables in a browser, compared by the server; small ones by the page, with what has shifted in each column. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import engine from '@srv/engine/operations';
import { createClient } from '@srv/lib-api/client';
import { needsChromium } from '@srv/test-servers/chromium';
import { setPageStage } from '@srv/test-servers/page-stage';
import type {} from '@srv/auth/contract';
import type { Client } from '@srv/lib-api/client';
import type { Page } from '@srv/test-servers/chromium';
import type { PageStage } from '@srv/test-servers/page-stage';

/** Enough for files that are too large to be compared in the browser without being asked. */
const rows = 150_000;

/** Rows before and after a change: every 10,000th price has another last digit, the first 3 are gone, 2 are new. */
function tables(): readonly [string, string] {
  const line = (i: number, price: string): string => `${i},${price},${'a text to fill the row, '.repeat(2)}${i % 7}`;
  const old = Array.from({ length: rows }, (_, i) => line(i, `${i}.10`));
  const now = old.map((text, i) => (i % 10_000 === 5000 ? line(i, `${i}.11`) : text)).slice(3);
  const head = 'id,price,note';
  return [[head, ...old].join('\n'), [head, ...now, line(rows, 'new'), line(rows + 1, 'new')].join('\n')];
}

const jsonLines = (...lines: readonly (readonly [number, number | null, string?])[]): string =>
  lines.map(([id, depth, name]) => `${JSON.stringify({ id, depth, name })}\n`).join('');

describe('tables that are compared in Chromium', { skip: needsChromium }, () => {
  let stage: PageStage<Client>;
  let page: Page;
  before(async () => {
    stage = await setPageStage({ plugins: ['row-diff', 'pulls'] }, ({ url, key }) =>
      createClient({ operations: engine, endpointUrl: url, ...key }),
    );
    ({ page } = stage);
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    const put = (branch: string, path: string, body: string) => stage.client.uploadObject({ repository: 'lakes', branch, path, body });
    const [old, now] = tables();
    await put('main', 'large.csv', old);
    await put('main', 'numbered.csv', ',v\n1,a\n2,b\n');
    await put('main', 'small.jsonl', jsonLines([1, 10], [2, null], [3, 30], [4, 40]));
    await stage.client.commit({ repository: 'lakes', branch: 'main', body: { message: 'Before' } });
    await stage.client.createBranch({ repository: 'lakes', body: { name: 'next', source: 'main' } });
    await put('next', 'large.csv', now);
    await put('next', 'numbered.csv', ',v\n1,a\n2,c\n');
    await put('next', 'small.jsonl', jsonLines([1, 10, 'a'], [2, 20, 'b'], [3, null, 'c'], [4, null, 'd'], [5, 900, 'e']));
    await stage.client.commit({ repository: 'lakes', branch: 'next', body: { message: 'After' } });
  });
  after(() => stage?.close());

  const button = (name: string) => page.getByRole('button', { name });

  it('are compared by the server when they are large, with the key that it finds or that is chosen', async () => {
    let read = 0;
    page.context().on('response', response => {
      if (response.url().includes('/objects?')) read += Number(response.headers()['content-length'] ?? 0);
    });
    const { id } = await stage.client.getCommit({ repository: 'lakes', commitId: 'next' });
    await stage.open(`repositories/lakes/commits/${id}`);
    await button('Show object changes of large.csv').click();
    await page.getByText(`${(rows - 3 - 15).toLocaleString('en')} rows the same · rows matched by id by the server`).waitFor();
    for (const text of ['2 rows added', '3 rows removed', '15 rows changed', '15 changed'])
      await page.getByText(text, { exact: true }).waitFor();
    const grid = page.getByRole('region', { name: 'Changed rows of large.csv' });
    await grid.getByRole('row', { name: '4998 5000 5000.10 5000.11 the same' }).waitFor();
    assert.equal(await grid.getByRole('row').count(), 1 + 20);
    assert.equal(read, 0, 'the browser has read no table');
    await stage.check('server-diff');
    await page.getByLabel('Match rows by').selectOption('price');
    await page.getByText(/rows matched by price by the server/).waitFor();
    await page.getByText('18 rows removed', { exact: true }).waitFor();
  });

  it('are matched by a column without a name, in the browser and by the server', async () => {
    const isStat = (url: URL): boolean => url.pathname.endsWith('/objects/stat') && url.searchParams.get('path') === 'numbered.csv';
    const by = page.getByLabel('Match rows by');
    const open = async (): Promise<void> => {
      await stage.open('repositories/lakes/compare?ref=main&compare=next');
      await button('Show object changes of numbered.csv').click();
      await page.getByText(/rows matched by \(no name\)/).waitFor();
    };
    await open();
    await by.selectOption({ label: 'whole rows' });
    await page.getByText(/whole rows compared/).waitFor();
    await by.selectOption({ label: '(no name)' });
    await page.getByText(/rows matched by \(no name\)$/).waitFor();
    // Large enough for the server.
    await page.route(isStat, async route => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), size_bytes: 100_000_000 } });
    });
    await open();
    await by.selectOption({ label: 'v' });
    await page.getByText(/rows matched by v by the server/).waitFor();
    await by.selectOption({ label: '(no name)' });
    await page.getByText(/rows matched by \(no name\) by the server/).waitFor();
    await page.unroute(isStat);
  });

  it('can be commented on row by row in a pull request, compared by the server', async () => {
    await stage.open('repositories');
    const id = await page.evaluate(async () => {
      const body = JSON.stringify({ title: 'Prices', description: '', source_branch: 'next', destination_branch: 'main' });
      const { fetch } = globalThis;
      const made = await fetch('api/v1/repositories/lakes/pulls', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      return ((await made.json()) as { id: string }).id;
    });
    await stage.open(`repositories/lakes/pulls/${id}/files`);
    await button('Show object changes of large.csv').click();
    const grid = page.getByRole('region', { name: 'Changed rows of large.csv' });
    // Row 4,998 of the new table was row 5,001 of the old one.
    await grid.getByRole('row', { name: '4998 5000 5000.10 5000.11 the same' }).waitFor();
    await button('Comment on row 4998').click();
    const about = page.getByRole('region', { name: 'About row 4998' });
    await about.getByLabel('Comment', { exact: true }).fill('Why another price?');
    await about.getByRole('button', { name: 'Comment', exact: true }).click();
    await about.getByText('Why another price?').waitFor();
    await stage.check('server-diff-comment');
    // Rows that are gone have no number to speak of.
    assert.equal(await grid.locator('tr.removed').getByRole('button').count(), 0);
  });

  it('show for each column how its values were distributed before and after', async () => {
    await stage.open('repositories/lakes/compare?ref=main&compare=next');
    await button('Show object changes of small.jsonl').click();
    await button('Columns before and after').click();
    const shifts = page.getByRole('region', { name: 'Columns of small.jsonl before and after' });
    const depth = shifts.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'depth' }) });
    await depth.getByText('40', { exact: true }).first().waitFor();
    await page.locator('.work').first().waitFor({ state: 'detached' });
    assert.deepEqual((await depth.getByRole('cell').allTextContents()).slice(0, 5), ['before', '1', '3', '10', '40']);
    const next = shifts.getByRole('row').filter({ hasText: 'after' });
    assert.deepEqual((await next.nth(1).getByRole('cell').allTextContents()).slice(0, 5), ['after', '2', '3', '10', '900']);
    // The depths have moved far; what is equal has not.
    assert.match((await depth.getByRole('cell').last().textContent()) ?? '', /^\d\.\d\d (moderate|large)$/);
    // The new column has one side.
    const name = shifts.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'name' }) });
    assert.deepEqual((await name.getByRole('cell').allTextContents()).slice(0, 5), ['after', '0', '5', 'a', 'e']);
    await stage.check('column-shifts');
  });
});
