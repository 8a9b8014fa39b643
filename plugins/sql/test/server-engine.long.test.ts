/** Queries of the page that the server runs, where its engine is installed. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@srv/engine/client';
import { scratchFolder } from '@srv/kernel/testing';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { installedIn } from '@srv/test-servers/packages';
import { setPageStage } from '@srv/test-servers/page-stage';
import type { Client } from '@srv/lib-api/client';
import type { PageStage } from '@srv/test-servers/page-stage';

describe('SQL on the server, in Chromium', { skip: needsChromium }, () => {
  let stage: PageStage<Client>;
  const requested: string[] = [];
  before(async () => {
    stage = await setPageStage(
      {
        plugins: ['ui', 'sql', 'search', 'sql-engine'],
        config: {
          'search.repositories': { lakes: 'main' },
          'sql_engine.installed_in': installedIn('@duckdb/node-api'),
          'sql_engine.dir': scratchFolder(),
        },
      },
      ({ url, key }) => createClient({ endpointUrl: url, ...key }),
    );
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes', sample_data: true } });
    const lines = Array.from({ length: 3000 }, (_, i) => `{"id":${2n ** 60n + BigInt(i)},"price":${i}.10}`);
    await stage.client.uploadObject({ repository: 'lakes', branch: 'main', path: 'rows.jsonl', body: lines.join('\n') });
    stage.page.on('request', request => requested.push(request.url()));
  });
  after(() => stage?.close());

  const editor = () => stage.page.getByLabel('Query', { exact: true });
  const cells = (): Promise<string[][]> =>
    stage.page
      .locator('.card-body.form ~ .scroll tbody tr[aria-rowindex]')
      .evaluateAll(rows =>
        rows.map(row => [...row.children].filter(cell => cell.className !== 'aside').map(cell => cell.textContent ?? '')),
      );
  const execute = async (sql: string): Promise<void> => {
    await editor().fill(sql);
    await stage.page.getByRole('button', { name: 'Execute' }).click();
  };

  it('reads what the browser cannot, shows values exactly, and loads no engine', async () => {
    await stage.open('sql');
    await stage.page.getByRole('combobox', { name: 'Where it runs' }).waitFor();
    await execute("SELECT max(id) AS most, count(*) AS n, sum(price::DECIMAL(30,2)) AS total FROM 'srv://lakes/main/rows.jsonl'");
    await eventually(cells, [[String(2n ** 60n + 2999n), '3000', '4498800.00']]);
    await stage.page.getByText('Computed on the server by DuckDB.').waitFor();
    await stage.check('sql-on-server');
    await execute('SELECT sum(x) AS total FROM (VALUES (9007199254740993)) t(x)');
    await eventually(cells, [['9007199254740993']]);
    await execute("SELECT * FROM 'srv://lakes/main/rows.jsonl' ORDER BY id");
    await stage.page.getByText('1,000 rows · the first of more').waitFor();
    await execute('SELECT count(*) AS n FROM lakes.main.system.object_metadata WHERE size > 0');
    await eventually(async () => (await cells()).length, 1);
    assert.ok(Number((await cells())[0]?.[0]) > 0);
    assert.deepEqual(
      requested.filter(url => url.includes('.wasm')),
      [],
    );
  });

  it('begins with examples about the index and a file of the first repository', async () => {
    await stage.open('sql');
    await stage.page.getByRole('button', { name: 'Files by size' }).click();
    await eventually(() => editor().inputValue(), 'SELECT path, size FROM lakes.main.system.object_metadata ORDER BY size DESC LIMIT 100');
    await stage.page.getByRole('button', { name: 'Execute' }).click();
    await eventually(async () => (await cells()).length > 2, true);
    await editor().fill('');
    await stage.page.getByRole('button', { name: 'Rows of a file' }).click();
    await eventually(async () => (await editor().inputValue()).startsWith("SELECT * FROM 'srv://lakes/main/"), true);
  });

  it('computes what the columns of a large CSV object are like, which is not fetched for it', async () => {
    const rows = 400_000;
    const lines = Array.from({ length: rows }, (_, i) => `${i},name ${i % 7},${i % 2 === 0 ? '' : i / 4},${'x'.repeat(30)}`);
    const body = `id,name,price,rest\n${lines.join('\n')}\n`;
    assert.ok(body.length > 16 << 20);
    await stage.client.uploadObject({ repository: 'lakes', branch: 'main', path: 'large.csv', body });
    let fetched = 0;
    // Requests of workers are seen by the context only.
    stage.page.context().on('response', response => {
      if (response.url().includes('/objects?')) fetched += Number(response.headers()['content-length'] ?? 0);
    });
    await stage.open('repositories/lakes/object?ref=main&path=large.csv');
    // Opening it counts its rows.
    await stage.page.getByText('400,000 rows · 4 columns').waitFor();
    await stage.settled();
    fetched = 0;
    await stage.page.getByRole('button', { name: 'Columns', exact: true }).click();
    const shown = (): Promise<string[][]> =>
      stage.page
        .locator('.columns-table tbody tr')
        .evaluateAll(all => all.map(row => [...row.children].slice(0, 6).map(cell => cell.textContent ?? '')));
    await eventually(shown, [
      ['id', '', '0', '400,000', '0', '399999'],
      ['name', '', '0', '7', 'name 0', 'name 6'],
      ['price', '', '0', '200,001', '0.25', '99999.75'],
      ['rest', '', '0', '1', 'x'.repeat(30), 'x'.repeat(30)],
    ]);
    await stage.page.getByRole('img', { name: /^Distribution of id: \d+ bars/ }).waitFor();
    await stage.page.getByText('name 3', { exact: true }).waitFor();
    await stage.check('columns-on-server');
    assert.ok(fetched < 1 << 20, `${fetched} bytes`);
  });

  it('says what the engine refuses; the browser runs what writes', async () => {
    stage.complaintsAbout(/400/);
    await stage.open('sql');
    await execute('SELECT nothing');
    await stage.page.getByRole('alert').filter({ hasText: 'nothing' }).waitFor();
    await execute("COPY (SELECT 1 AS a) TO 'srv://lakes/main/a.csv'");
    await stage.page
      .getByRole('alert')
      .filter({ hasText: /COPY|SELECT/ })
      .waitFor();
    await stage.page.getByRole('combobox', { name: 'Where it runs' }).selectOption('browser');
    await stage.page.getByRole('button', { name: 'Execute' }).click();
    await stage.page.getByText('Wrote').waitFor();
  });
});
