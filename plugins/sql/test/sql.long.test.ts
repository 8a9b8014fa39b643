/** Queries over objects, in a real browser in front of a real server. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@srv/engine/client';
import { memorySource } from '@srv/lib-records/tables/byte-source';
import { openTable } from '@srv/lib-records/tables/open-table';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { setPageStage } from '@srv/test-servers/page-stage';
import type { Server } from 'node:http';
import type { Client } from '@srv/lib-api/client';
import type { Page } from '@srv/test-servers/chromium';
import type { PageStage } from '@srv/test-servers/page-stage';

const repository = 'lakes';

describe('SQL in Chromium', { skip: needsChromium }, () => {
  let stage: PageStage<Client>;
  let page: Page;
  let elsewhere: Server;
  let host = '';
  const askedElsewhere: string[] = [];
  const requested: string[] = [];
  before(async () => {
    elsewhere = createServer(({ url }, response) => {
      askedElsewhere.push(String(url));
      response.writeHead(200, { 'access-control-allow-origin': '*' }).end('a,b\n1,2\n');
    });
    await new Promise<void>(resolve => elsewhere.listen(0, '127.0.0.1', resolve));
    const address = elsewhere.address();
    host = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    stage = await setPageStage({ plugins: ['ui', 'sql'] }, ({ url, key }) => createClient({ endpointUrl: url, ...key }));
    ({ page } = stage);
    await stage.client.createRepository({ body: { name: repository, storage_namespace: 'local://lakes', sample_data: true } });
    page.on('request', request => requested.push(request.url()));
  });
  after(async () => {
    await stage?.close();
    elsewhere?.close();
  });

  const put = (branch: string, path: string, body: string | Buffer) => stage.client.uploadObject({ repository, branch, path, body });
  const objectView = async (path: string, ref = 'main'): Promise<void> => {
    await stage.open(`repositories/${repository}/object?${new URLSearchParams({ ref, path }).toString()}`);
    await page.getByText('Query with SQL').click();
  };
  const editor = () => page.getByLabel('Query', { exact: true });
  const execute = async (sql: string): Promise<void> => {
    await editor().fill(sql);
    await resulting(() => page.getByRole('button', { name: 'Execute' }).click());
  };
  /** Waits for what a query shows instead of what was there before it. */
  const resulting = async (act: () => Promise<void>): Promise<void> => {
    const shown = page.locator('.card-body.form ~ *');
    await shown.evaluateAll(elements => {
      for (const element of elements) element.setAttribute('data-before', '');
    });
    await act();
    await page.locator('.card-body.form ~ [data-before]').first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    await shown.first().waitFor({ state: 'attached' });
  };
  const cells = (): Promise<string[][]> =>
    page
      .locator('.card-body.form ~ .scroll tbody tr[aria-rowindex]')
      .evaluateAll(rows =>
        rows.map(row => [...row.children].filter(cell => cell.className !== 'aside').map(cell => cell.textContent ?? '')),
      );
  const failure = async (): Promise<string> => (await page.getByRole('alert').first().textContent()) ?? '';

  it('an object opens with a query to execute and its rows; the engine is loaded with the first query', async () => {
    await objectView('lakes.parquet');
    await page.getByRole('button', { name: 'Execute' }).waitFor();
    await page.getByRole('cell', { name: 'Baikal' }).waitFor();
    await eventually(() => editor().inputValue(), "SELECT * FROM 'srv://lakes/main/lakes.parquet' LIMIT 20");
    assert.deepEqual(
      requested.filter(url => url.includes('.wasm') || url.includes('/sql/worker-')),
      [],
    );
    await stage.check('sql-object');
    await page
      .getByRole('region', { name: 'Columns', exact: true })
      .getByRole('button', { name: /^depth_m/ })
      .click();
    await eventually(() => editor().inputValue(), "SELECT * FROM 'srv://lakes/main/lakes.parquet' LIMIT 20depth_m");
    await editor().fill("SELECT * FROM 'srv://lakes/main/lakes.parquet' LIMIT 20");
    await resulting(() => editor().press('Control+Enter'));
    await eventually(async () => (await cells()).length, 14);
    assert.equal(requested.filter(url => url.includes('.wasm')).length, 1);
    await stage.check('sql-result');
  });

  it('the editor alone begins with examples about a table of the ref that was looked at last, which run', async () => {
    await stage.client.createRepository({ body: { name: 'another', storage_namespace: 'local://another' } });
    await stage.open('sql');
    await page.getByRole('button', { name: 'Rows of a file' }).click();
    await eventually(async () => (await editor().inputValue()).includes("'srv://lakes/main/"), true, 'the first one has no table');
    await stage.client.createBranch({ repository, body: { name: 'examples', source: 'main' } });
    await stage.open(`repositories/${repository}/objects?ref=examples`);
    await page.getByRole('link', { name: 'SQL', exact: true }).click();
    const begin = async (title: string, query: RegExp): Promise<void> => {
      await editor().fill('');
      await page.getByRole('button', { name: title, exact: true }).click();
      await eventually(async () => query.test(await editor().inputValue()), true, title);
      await resulting(() => page.getByRole('button', { name: 'Execute' }).click());
    };
    await begin('Rows of a file', /^SELECT \* FROM 'srv:\/\/lakes\/examples\/\S+\.(csv|parquet)' LIMIT 100$/);
    assert.ok((await cells()).length > 1);
    await begin(
      'Sums by group',
      /^SELECT (\w+), count\(\*\) AS n, avg\(\w+\) AS mean\nFROM 'srv:\/\/lakes\/examples\/\S+'\nGROUP BY \1\nORDER BY n DESC$/,
    );
    assert.ok((await cells()).length > 1);
    await begin('Two versions of a file', /'srv:\/\/lakes\/examples\/(\S+)'\nEXCEPT\nSELECT \* FROM 'srv:\/\/lakes\/main\/\1'$/);
    await page.getByText('0 rows').first().waitFor();
    await begin('Write a file to a branch', /TO 'srv:\/\/lakes\/examples\/one\.parquet'$/);
    await page.getByText('Wrote').waitFor();
    await stage.client.deleteRepository({ repository: 'another' });
    await stage.client.deleteBranch({ repository, branch: 'examples' });
  });

  it('words, columns and addresses are completed by keys', async () => {
    await objectView('lakes.parquet');
    const option = (name: string) => page.getByRole('option', { name, exact: true });
    await page
      .getByRole('region', { name: 'Columns', exact: true })
      .getByRole('button', { name: /^country/ })
      .waitFor();
    await editor().fill("SELECT  FROM 'srv://lakes/main/lakes.parquet'");
    await editor().press('Home');
    for (let i = 0; i < 7; i++) await editor().press('ArrowRight');
    await editor().pressSequentially('cou');
    await option('country').waitFor();
    await option('count(').waitFor();
    await stage.check('sql-completion');
    await editor().press('Enter');
    await eventually(() => editor().inputValue(), "SELECT country FROM 'srv://lakes/main/lakes.parquet'");
    await editor().fill('');
    await editor().pressSequentially("from 'srv://la");
    await option('srv://lakes/').waitFor();
    await editor().press('Tab');
    await option('srv://lakes/main/').waitFor();
    await editor().press('Tab');
    await option('srv://lakes/main/lakes.parquet').waitFor();
    await editor().press('ArrowUp');
    await editor().press('ArrowDown');
    await page.getByRole('option', { name: 'srv://lakes/main/lakes.parquet' }).click();
    await eventually(() => editor().inputValue(), "from 'srv://lakes/main/lakes.parquet'");
    await resulting(() => editor().press('Control+Enter'));
    await eventually(async () => (await cells()).length, 14);
    await editor().fill('select 1');
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByRole('menuitem', { name: "from 'srv://lakes/main/lakes.parquet'" }).click();
    await eventually(() => editor().inputValue(), "from 'srv://lakes/main/lakes.parquet'");
  });

  it('groups by country, from Parquet and from CSV', async () => {
    await execute(
      "SELECT country, count(*) AS n FROM READ_PARQUET('lakefs://lakes/main/lakes.parquet') GROUP BY country ORDER BY n DESC, country LIMIT 5",
    );
    await eventually(cells, [
      ['Denmark', '2'],
      ['Finland', '2'],
      ['Sweden', '2'],
      ['Bolivia', '1'],
      ['Canada', '1'],
    ]);
    await execute(
      "SELECT p.name, c.depth_m FROM 'srv://lakes/main/lakes.parquet' p JOIN 'srv://lakes/main/data/lakes.csv' c USING (name) WHERE c.depth_m > 700 ORDER BY 2",
    );
    await eventually(async () => (await cells()).map(([name]) => name), ['Malawi', 'Tanganyika', 'Baikal']);
  });

  it('finds the columns that folders name, and the object of each row', async () => {
    for (const year of [2023, 2024])
      for (const part of ['a', "b [1]'s"])
        await stage.client.uploadObject({ repository, branch: 'main', path: `hive/año=${year}/${part}.csv`, body: `n\n${year % 100}\n` });
    await execute("SELECT año, n FROM read_csv_auto('srv://lakes/main/hive/año=*/a.csv', hive_partitioning=true) ORDER BY año");
    await eventually(cells, [
      ['2023', '23'],
      ['2024', '24'],
    ]);
    await execute("SELECT filename, n FROM read_csv_auto('srv://lakes/main/hive/año=2023/a.csv', filename=true)");
    await eventually(cells, [['srv://lakes/main/hive/año=2023/a.csv', '23']]);
    await execute("SELECT count(*) AS rows FROM read_csv_auto('srv://lakes/main/hive/**')");
    await eventually(cells, [['4']]);
    await stage.client.resetBranch({ repository, branch: 'main', body: { type: 'common_prefix', path: 'hive/' } });
  });

  it('changes a table, writes it to the branch and reads it back; it is one change, which can be committed and merged', async () => {
    await stage.client.createBranch({ repository, body: { name: 'denmark-lakes', source: 'main' } });
    await objectView('lakes.parquet', 'denmark-lakes');
    await execute("CREATE OR REPLACE TABLE lakes AS SELECT * FROM READ_PARQUET('lakefs://lakes/denmark-lakes/lakes.parquet')");
    await execute("DELETE FROM lakes WHERE country != 'Denmark'; DELETE FROM lakes WHERE name != 'Furesø'");
    await execute("COPY lakes TO 'lakefs://lakes/denmark-lakes/lakes.parquet'");
    await page.getByText(/^Wrote .* to srv:\/\/lakes\/denmark-lakes\/lakes\.parquet\.$/).waitFor();
    await execute("SELECT * FROM READ_PARQUET('lakefs://lakes/denmark-lakes/lakes.parquet')");
    await eventually(async () => (await cells()).length, 1);
    const { content_type } = await stage.client.statObject({ repository, ref: 'denmark-lakes', path: 'lakes.parquet' });
    assert.equal(content_type, 'application/vnd.apache.parquet');
    await stage.open(`repositories/${repository}/objects?ref=denmark-lakes`);
    await page.getByRole('button', { name: 'Uncommitted Changes' }).click();
    await page.getByText('Showing 1 change for branch denmark-lakes').waitFor();
    await stage.client.commit({ repository, branch: 'denmark-lakes', body: { message: 'Danish lakes only' } });
    await stage.client.mergeIntoBranch({ repository, sourceRef: 'denmark-lakes', destinationBranch: 'main', body: {} });
    await stage.open(`repositories/${repository}/compare?ref=main&compare=denmark-lakes`);
    await page.getByRole('heading', { name: 'No changes' }).waitFor();
    await objectView('lakes.parquet');
    await execute("SELECT name FROM 'srv://lakes/main/lakes.parquet'");
    await eventually(cells, [['Furesø']]);
  });

  it('a view stays, and sees an object that has changed once the object is read again', async () => {
    await put('denmark-lakes', 'seen.csv', 'x\n1\n');
    await execute("CREATE VIEW seen AS SELECT * FROM 'srv://lakes/denmark-lakes/seen.csv'; FROM seen");
    await eventually(cells, [['1']]);
    await put('denmark-lakes', 'seen.csv', 'x\n22\n333\n');
    await execute("FROM 'srv://lakes/denmark-lakes/seen.csv'");
    await eventually(cells, [['22'], ['333']]);
    await execute('FROM seen');
    await eventually(cells, [['22'], ['333']]);
  });

  it('writes CSV and reads patterns of objects', async () => {
    await execute(`COPY (SELECT i, 'row ' || i AS t FROM range(3) r(i)) TO 'srv://lakes/denmark-lakes/out/it''s 1%.csv' (HEADER);
      COPY (SELECT 7 AS i, 'ü' AS t) TO 'srv://lakes/denmark-lakes/out/b=2.csv' (HEADER);`);
    const { body } = await stage.client.getObject({ repository, ref: 'denmark-lakes', path: "out/it's 1%.csv" });
    assert.equal(Buffer.concat(await body.toArray()).toString(), 'i,t\n0,row 0\n1,row 1\n2,row 2\n');
    await execute("SELECT count(*), sum(i), max(t) FROM 'srv://lakes/denmark-lakes/out/*.csv'");
    await eventually(cells, [['4', '10', 'ü']]);
  });

  it('shows the first 1,000 rows, and gives all of them as a file', async () => {
    await execute(
      'SELECT i AS "a,b", NULL AS nothing, 12345678901234567890::HUGEINT AS big, [1, 2] AS list, 1.50::DECIMAL(9,2) AS money FROM range(2500) r(i)',
    );
    await page.getByText('1,000 rows · the first of 2,500').waitFor();
    await eventually(async () => (await cells())[0], ['0', 'null', '12345678901234567890', '[1, 2]', '1.50']);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const download = await downloading;
    assert.equal(download.suggestedFilename(), 'result.csv');
    const lines = Buffer.concat(await (await download.createReadStream()).toArray())
      .toString()
      .trimEnd()
      .split('\n');
    assert.equal(lines.length, 2501);
    assert.equal(lines[0], '"a,b",nothing,big,list,money');
    assert.equal(lines[2500], '2499,,12345678901234567890,"[1, 2]",1.50');
    await stage.check('sql-many-rows');
    const downloadingParquet = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download Parquet' }).click();
    const parquet = Buffer.concat(await (await (await downloadingParquet).createReadStream()).toArray());
    const table = await openTable('parquet', memorySource(parquet));
    assert.deepEqual(await table.cells(2499, 2500, [...table.columns.keys()]), [['2499', null, '12345678901234567890', '[1,2]', '1.50']]);
  });

  it('values are text, and so are errors', async () => {
    const hostile = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>';
    await put('denmark-lakes', 'hostile.csv', `"<b id=owned>name</b>",value\n"${hostile.replaceAll('"', '""')}",1\n`);
    await execute("SELECT * FROM 'srv://lakes/denmark-lakes/hostile.csv'");
    await eventually(cells, [[hostile, '1']]);
    await page.getByText('<b id=owned>name</b>').first().waitFor();
    assert.equal(await page.locator('.grid-table b, .grid-table img, #owned').count(), 0);
    await stage.check('sql-hostile');
    await execute("SELECT * FROM '<b id=owned>nothing</b>'");
    await eventually(failure, /<b id=owned>nothing<\/b>/);
    assert.equal(await page.locator('#owned').count(), 0);
    assert.notEqual(await page.title(), 'owned');
    await stage.check('sql-error');
  });

  it('says what is wrong: with the query, the object, the permission', async () => {
    await execute('SELEC 1');
    await eventually(failure, /syntax error at or near "SELEC"/);
    await execute('');
    await eventually(failure, /There is nothing to run/);
    await execute("SELECT * FROM 'srv://lakes/main/none.csv'");
    await eventually(failure, /none\.csv|not found/);
    await execute("SELECT * FROM read_parquet('srv://lakes/main/data/lakes.csv')");
    await eventually(failure, /srv:\/\/lakes\/main\/data\/lakes\.csv/);
    await execute("COPY (SELECT 1) TO 'srv://lakes/none/a.csv'");
    await eventually(failure, /branch/);
    await execute("COPY (SELECT 1 AS a, 2 AS b) TO 'srv://lakes/denmark-lakes/parts' (FORMAT PARQUET, PARTITION_BY (a))");
    await eventually(failure, /./);
    await assert.rejects(stage.client.statObject({ repository, ref: 'denmark-lakes', path: 'parts' }));
    stage.complaintsAbout(/404/);
    await stage.check('sql-failed');
  });

  it('other hosts are refused, before anything runs and by the policy', async () => {
    for (const sql of [
      `CREATE TABLE half AS SELECT 1 AS x; SELECT * FROM '${host}/a.csv'`,
      `SELECT * FROM read_csv_auto(['${host}/a.csv'])`,
      `COPY (SELECT 1) TO '${host}/b.csv'`,
      "COPY (SELECT 1) TO 's3://bucket/b.csv'",
    ]) {
      await execute(sql);
      await eventually(failure, /is not in this server: queries read and write srv:\/\/repository\/ref\/path only/, sql);
    }
    await execute('SELECT * FROM half');
    await eventually(failure, /half does not exist/);
    // Nor do extensions and databases come from elsewhere; the engine stays usable.
    for (const sql of [
      `ATTACH '${host}/x.db'`,
      `LOAD '${host}/x.duckdb_extension'`,
      `INSTALL httpfs FROM '${host}'`,
      'INSTALL json',
      `IMPORT DATABASE '${host}'`,
    ]) {
      await execute(sql);
      await eventually(failure, /cannot open http:|home directory/, sql);
    }
    // What hides its address reaches nothing either.
    await execute(`SELECT * FROM read_csv_auto('${host.slice(0, 3)}' || '${host.slice(3)}/a.csv')`);
    await eventually(failure, /queries read and write srv:\/\/repository\/ref\/path only/);
    await execute(`SELECT '${host}/data' AS url`);
    await eventually(cells, [[`${host}/data`]]);
    assert.deepEqual(askedElsewhere, []);
    await stage.check('sql-refused');
  });

  it('a query in a link is shown, and not run; a link of a query can be copied', async () => {
    const sql = "SELECT 'from a link' AS text";
    await stage.open('sql');
    await stage.check('sql-empty');
    await page.getByRole('button', { name: 'Rows of a file' }).click();
    await eventually(async () => /^SELECT \* FROM 'srv:\/\/lakes\/main\/\S+' LIMIT 100$/.test(await editor().inputValue()), true);
    assert.equal(await page.getByRole('button', { name: 'Rows of a file' }).count(), 0);
    requested.length = 0;
    await stage.open(`sql#${new URLSearchParams({ q: sql }).toString()}`);
    await eventually(() => editor().inputValue(), sql);
    await page.getByRole('button', { name: 'Execute' }).waitFor();
    assert.equal(await page.locator('.grid-table').count(), 0);
    await stage.check('sql-page');
    assert.deepEqual(
      requested.filter(url => url.includes('/sql/worker-') || url.includes('.wasm')),
      [],
    );
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.getByRole('cell', { name: 'from a link' }).waitFor();
    await editor().fill("SELECT '&#+' AS more");
    await page.getByRole('button', { name: 'Copy Link' }).click();
    await page.getByText('Copied the link to this query').waitFor();
    const link = await page.evaluate('navigator.clipboard.readText()');
    await page.goto('about:blank');
    await page.goto(String(link));
    await editor().waitFor();
    await eventually(() => editor().inputValue(), "SELECT '&#+' AS more");
  });

  it('a query that does not end is stopped, and the engine starts again', async () => {
    await editor().fill('SELECT count(*) FROM range(1000000000) a, range(1000000) b WHERE a.range + b.range = 1');
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.getByText('Running…').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await eventually(failure, /^Stopped/);
    await execute('SELECT 41 + 1 AS answer');
    await eventually(cells, [['42']]);
    await stage.check('sql-again');
  });

  it('no request left this machine', () => {
    assert.ok(requested.length > 0);
    for (const url of requested) assert.match(url, /^(?:blob:)?http:\/\/127\.0\.0\.1:|^about:/);
  });
});
