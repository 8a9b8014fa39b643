/** Scripts that compare tables row by row, and a hook that refuses too many changes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { repository, startHookServer } from './hook.js';

const client = 'local lakefs = require("lakefs") ';

it('diff_rows compares tables, so that a hook can refuse too many changes', async t => {
  const srv = await startHookServer({ plugins: ['row-diff'] });
  t.after(srv.stop);
  const engine = srv.kernel.services.get('engine');
  const prints = async (script: string, expected: string): Promise<void> =>
    assert.deepEqual(await srv.runHook(script), { output: `${expected}\n` });
  await engine.createBranch(repository, 'prices', 'main');
  const rows = (factor: number): string => Array.from({ length: 100 }, (_, i) => `${i},${i < 2 ? i * factor : i}\n`).join('');
  await engine.putObject(repository, 'main', 'prices.csv', Buffer.from(`id,price\n${rows(1)}`));
  await engine.putObject(repository, 'prices', 'prices.csv', Buffer.from(`id,price\n${rows(5)}100,7\n`));
  await prints(
    `${client} local code, lines = lakefs.diff_rows("lakes", "main", "prices", "prices.csv", array({"id"}), 1)
     local schema, row, summary = lines[1], lines[2], lines[#lines]
     print(code, #lines, schema.key[1], row.type, summary.left_rows, summary.added, summary.changed, summary.changed_cells.price)`,
    '200\t3\tid\tchanged\t100\t1\t1\t1',
  );
  const gate = (most: number): string => `${client} local hook = require("hook")
    local code, lines = lakefs.diff_rows(action.repository_id, action.branch_id, action.source_ref, "prices.csv", "id")
    if code ~= 200 then hook.fail(lines.message) end
    local summary = lines[#lines]
    local share = summary.changed / summary.left_rows
    if share > ${most} then hook.fail(string.format("%.0f %% of prices change", share * 100)) end`;
  const event = { type: 'pre-merge', branch: 'main', sourceRef: 'prices' } as const;
  assert.deepEqual(await srv.runHook(gate(0.01), { event }), { output: '' });
  assert.match((await srv.runHook(gate(0.005), { event })).failure ?? '', /1 % of prices change/);
  await prints(
    `${client} local code, body = lakefs.diff_rows("lakes", "main", "prices", "prices.csv", "nothing") print(code, body.message ~= nil)`,
    '400\ttrue',
  );
  await prints(`${client} print((lakefs.diff_rows("lakes", "main", "prices", "none.csv")))`, '404');
  await prints(
    `${client} print(pcall(lakefs.diff_rows, "lakes", "main", "prices", "prices.csv", array({1})))`,
    'false\tnames of key columns must be strings',
  );
});

it('diff_rows keeps a merge from changing more than one percent of the rows, by the script of the README', async t => {
  const srv = await startHookServer({ plugins: ['actions', 'row-diff'] });
  t.after(srv.stop);
  const engine = srv.kernel.services.get('engine');
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const script = /```lua\n([\s\S]*?diff_rows[\s\S]*?)```/.exec(readme)?.[1] ?? assert.fail('the README has no such script');
  const action = {
    name: 'prices',
    on: { 'pre-merge': { branches: ['main'] } },
    hooks: [{ id: 'few', type: 'lua', properties: { script } }],
  };
  const prices = (changed: number): Buffer =>
    Buffer.from(`id,price\n${Array.from({ length: 200 }, (_, i) => `${i},${i < changed ? -1 : i}\n`).join('')}`);
  await engine.putObject(repository, 'main', '_srv_actions/prices.yaml', Buffer.from(JSON.stringify(action)));
  await engine.putObject(repository, 'main', 'prices.csv', prices(0));
  await engine.commit(repository, 'main', { committer: 'ann', message: 'prices' });
  const merge = async (branch: string, changed: number): Promise<unknown> => {
    await engine.createBranch(repository, branch, 'main');
    await engine.putObject(repository, branch, 'prices.csv', prices(changed));
    await engine.commit(repository, branch, { committer: 'ann', message: branch });
    return engine.merge(repository, branch, 'main', { committer: 'ann', message: 'merge', user: 'admin' });
  };
  await assert.rejects(merge('many', 3), /3 rows change/);
  await merge('few', 2);
  assert.equal((await engine.getEntry(repository, 'main', 'prices.csv')).size, prices(2).length);
});

it('diff_rows answers 501 without the plugin', async t => {
  const srv = await startHookServer();
  t.after(srv.stop);
  const { output } = await srv.runHook(
    `${client} local code, body = lakefs.diff_rows("lakes", "main", "main", "a.csv") print(code, body.message)`,
  );
  assert.equal(output, '501\tthis server does not offer diffRows: the plugin with it is switched off\n');
});
