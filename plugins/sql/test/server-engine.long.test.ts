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
