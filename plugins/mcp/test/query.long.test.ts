/** The tool that queries: with the engine, and without it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { installedIn } from '@srv/test-servers/packages';
import { call, modern, startMcp } from './support/server.js';

test('query runs SQL over objects and metadata, says when rows are missing, and shows what is wrong', async () => {
  const values = {
    'search.repositories': { repo: 'main' },
    'search.period': '10h',
    'sql_engine.installed_in': installedIn('@duckdb/node-api'),
  };
  const server = await startMcp(values, ['search', 'sql-engine']);
  try {
    const { engine } = server;
    await engine.putObject('repo', 'main', 'data/t.csv', Buffer.from('id,price\n1,1.50\n2,9007199254740993\n'));
    const query = (sql: string, more: object = {}) => call(server, 'query', { sql, ...more });
    assert.deepEqual((await query("FROM 'srv://repo/main/data/t.csv' ORDER BY id")).data, {
      columns: ['id', 'price'],
      rows: [
        { id: '1', price: '1.5' },
        { id: '2', price: '9007199254740992.0' },
      ],
      truncated: false,
    });
    assert.deepEqual((await query('SELECT path, size FROM repo.main.system.object_metadata')).data, {
      columns: ['path', 'size'],
      rows: [{ path: 'data/a.txt', size: '10' }],
      truncated: false,
    });
    assert.deepEqual((await query('FROM range(5)', { limit: 2 })).data, {
      columns: ['range'],
      rows: [{ range: '0' }, { range: '1' }],
      truncated: true,
    });
    assert.deepEqual((await query("SELECT 'a' AS \"10\", 'b' AS \"9\", 'c' AS x")).data, {
      columns: ['10', '9', 'x'],
      rows: [{ 9: 'b', 10: 'a', x: 'c' }],
      truncated: false,
    });
    assert.deepEqual((await query('FROM range(0)')).data, { columns: [], rows: [], truncated: false });
    for (const [sql, refusal] of [
      ['SELECT bogus', /bogus/],
      ["FROM 'srv://repo/main/nowhere.csv'", /not found/],
      ["COPY (SELECT 1) TO 'srv://repo/main/x.csv'", /queries only read/],
      ["SELECT repeat('x', 300000)", /at most 262144 are returned/],
    ] as const)
      assert.match(String((await query(sql)).refusal), refusal, sql);
    // Clients that only read have it, too.
    const { result } = await modern(server, 'tools/list', {}, { 'x-mcp-readonly': 'true' });
    assert.ok((result['tools'] as { name: string }[]).some(({ name }) => name === 'query'));
  } finally {
    await server.stop();
  }
});

test('query is not offered where the engine is not installed', async () => {
  const server = await startMcp({}, ['sql-engine']);
  try {
    const { result } = await modern(server, 'tools/list');
    assert.equal(
      (result['tools'] as { name: string }[]).some(({ name }) => name === 'query'),
      false,
    );
  } finally {
    await server.stop();
  }
});
