/** Tables in a browser, in front of a real server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@srv/engine/client';
import { scratchFolder } from '@srv/kernel/testing';
import { basicOf, sendRaw } from '@srv/lib-api/testing';
import { needsChromium } from '@srv/test-servers/chromium';
import { installedIn } from '@srv/test-servers/packages';
import { isDenied, setPageStage, viewerPage } from '@srv/test-servers/page-stage';
import { endScripts, isMissing, script } from './support/python.js';
import { located, mainText, namespacePath, schema, snapshotText } from './support/server.js';
import type { Client } from '@srv/lib-api/client';
import type { PageStage } from '@srv/test-servers/page-stage';

const pyicebergMissing = isMissing('pyiceberg', 'pyarrow');

describe('tables in Chromium', { skip: needsChromium }, () => {
  let stage: PageStage<Client>;
  const [first, second] = ['9223372036854775806', '9223372036854775807'];
  const counted = (text: string, rows: number): string =>
    text.replace('"operation":"append"', `"operation":"append","total-records":"${rows}","total-data-files":"${rows / 10}"`);
  const call = (method: string, path: string, { body }: { body?: unknown } = {}) =>
    sendRaw(stage.srv.url, `/iceberg/api/v1/srv${path}`, {
      method,
      headers: { authorization: basicOf(stage.srv.key) },
      ...(typeof body === 'string' ? { body } : {}),
    });
  const send = async (path: string, change: unknown): Promise<void> => {
    const text = typeof change === 'string' ? change : JSON.stringify(change);
    const { status } = await call('POST', path, { body: await located({ call }, path, text) });
    assert.ok(status < 300, `${path} answers ${status}`);
  };
  before(async () => {
    stage = await setPageStage(
      {
        plugins: ['iceberg', 'gateway-s3', 'sql-engine'],
        config: {
          'auth.ui_config.rbac': 'internal',
          'sql_engine.installed_in': installedIn('@duckdb/node-api'),
          'sql_engine.dir': scratchFolder(),
        },
      },
      ({ url, key }) => createClient({ endpointUrl: url, ...key }),
    );
    const at = { repository: 'lake' };
    await stage.client.createRepository({ body: { name: 'lake', storage_namespace: 'local://lake' } });
    const sales = namespacePath('lake', 'main', 'sales');
    await send('/namespaces', { namespace: ['lake', 'main', 'sales'] });
    await send(`${sales}/tables`, {
      name: 'books',
      schema,
      'partition-spec': { fields: [{ name: 'part', transform: 'bucket[4]', 'source-id': 7 }] },
    });
    await send(`${sales}/tables/books`, `{"requirements":[],"updates":[${counted(snapshotText(first, 1), 10)},${mainText(first)}]}`);
    await stage.client.commit({ ...at, branch: 'main', body: { message: 'tables' } });
    await stage.client.createBranch({ ...at, body: { name: 'work', source: 'main' } });
    const work = namespacePath('lake', 'work', 'sales');
    await send(
      `${work}/tables/books`,
      `{"requirements":[],"updates":[${counted(snapshotText(second, 2, first), 20)},${mainText(second)}]}`,
    );
    await send(`${work}/tables`, { name: 'new', schema });
    await stage.client.commit({ ...at, branch: 'work', body: { message: 'more' } });
  });
  after(async () => {
    await endScripts();
    await stage?.close();
  });

  it('are listed, and shown with columns, partitions and snapshots, whose ids have all digits', async () => {
    const { page } = stage;
    await stage.open('repositories/lake/iceberg?ref=work');
    await page.getByRole('link', { name: 'new' }).waitFor();
    await stage.check('tables');
    await page.getByRole('link', { name: 'books' }).click();
    for (const text of ['part: bucket[4]', second, 'list<string>']) await page.getByText(text, { exact: true }).first().waitFor();
    const facts = await page.locator('dl.facts').textContent();
    assert.match(facts ?? '', /Rows20/);
    await stage.check('table');
    await page.getByRole('link', { name: 'Commits' }).last().click();
    await page.getByRole('link', { name: 'more' }).waitFor();
  });

  it('show their first rows, where the server runs SQL', { skip: pyicebergMissing }, async () => {
    const { page } = stage;
    await script(
      stage.srv,
      `
import pyarrow as pa
rows = pa.table({'id': pa.array([2**60 + i for i in range(150)], pa.int64()), 'name': ['n' + str(i) for i in range(150)]})
table = catalog().create_table('lake.work.sales.rows', schema=rows.schema)
table.append(rows)
table.delete('id < ${2n ** 60n + 2n}')
print('1')`,
    );
    await stage.open('repositories/lake/iceberg/sales.rows?ref=work');
    await page.getByRole('button', { name: 'Show Rows' }).click();
    await page.getByText(String(2n ** 60n + 2n), { exact: true }).waitFor();
    await page.getByText('the first of more').waitFor();
    assert.equal(await page.getByText(String(2n ** 60n + 1n), { exact: true }).count(), 0);
    await stage.check('first-rows');
    await stage.client.resetBranch({ repository: 'lake', branch: 'work', body: { type: 'reset' } });
  });

  it('are rolled back to an earlier snapshot, on branches only', async () => {
    const { page, client } = stage;
    await stage.open('repositories/lake/iceberg/sales.books?ref=work');
    const viewer = await viewerPage(stage, 'vera', ['catalog:Read*', 'catalog:Get*', 'catalog:List*']);
    await viewer.goto(page.url());
    await isDenied(viewer, 'Roll Back', 'catalog:UpdateTable');
    await viewer.context().close();
    await page.getByRole('button', { name: 'Roll Back' }).click();
    await page.getByRole('dialog').getByText(`${first} (`).waitFor({ state: 'attached' });
    await stage.check('roll-back');
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await page.getByText(`sales.books is at snapshot ${first}`).waitFor();
    await page.locator('dl.facts').getByText('10', { exact: true }).waitFor();
    await client.resetBranch({ repository: 'lake', branch: 'work', body: { type: 'reset' } });
    await client.createTag({ repository: 'lake', body: { id: 'v1', ref: 'work' } });
    await stage.open('repositories/lake/iceberg/sales.books?ref=v1');
    await page.getByRole('link', { name: 'Commits' }).last().waitFor();
    await page.getByText(second, { exact: true }).first().waitFor();
    assert.equal(await page.getByRole('button', { name: 'Roll Back' }).count(), 0);
  });

  it('are compared with those of another ref', async () => {
    const { page } = stage;
    await stage.open('repositories/lake/iceberg?ref=main&compare=work');
    await page.getByText('10 → 20 rows · 1 → 2 files').waitFor();
    await page.getByText('added', { exact: true }).waitFor();
    await stage.check('changed-tables');
    await page.getByRole('button', { name: 'Show all tables' }).click();
    await page.getByRole('link', { name: 'books' }).waitFor();
  });

  it('that are not there say how a first one is made', async () => {
    await stage.client.createRepository({ body: { name: 'empty', storage_namespace: 'local://empty' } });
    await stage.open('repositories/empty/iceberg');
    await stage.page.getByText('No tables').waitFor();
    await stage.check('no-tables');
  });
});
