import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { eventually } from '../src/eventually.js';
import { NeedsError } from '../src/index.js';
import { startPostgres } from '../src/postgres.js';
import { connectDatabase } from '../src/postgres-client.js';

const needs = (error: unknown): string => {
  if (error instanceof NeedsError) return `needs ${error.message}`;
  throw error;
};

test('PostgreSQL keeps what was committed over a crash, on the same address', async t => {
  const server = await startPostgres().catch(needs);
  if (typeof server === 'string') return t.skip(server);
  t.after(() => server.close());
  const url = await server.createDatabase();
  assert.equal(server.env.SRV_DATABASE_POSTGRES_CONNECTION_STRING, server.url);
  assert.notEqual(new URL(url).pathname, new URL(await server.createDatabase()).pathname);
  const client = await connectDatabase(url);
  await client.query('CREATE TABLE kept (name TEXT)');
  await client.query(`INSERT INTO kept VALUES ('it')`);
  await server.stop();
  await assert.rejects(client.query('SELECT 1'));
  await assert.rejects(connectDatabase(url), /ECONNREFUSED/);
  await server.start();
  const again = await connectDatabase(url);
  assert.deepEqual((await again.query('SELECT * FROM kept')).rows, [{ name: 'it' }]);
  await again.end();
});

test('PostgreSQL goes when the process that started it is killed', async t => {
  const module = new URL('../src/postgres.js', import.meta.url).href;
  const script = `const { startPostgres } = await import(${JSON.stringify(module)});
    console.log((await startPostgres().catch(() => ({ url: 'none' }))).url); setInterval(() => {}, 1000);`;
  const folder = scratchFolder();
  // PostgreSQL, which refuses to run as root, comes through to its own folder.
  chmodSync(folder, 0o711);
  const env = { ...process.env, TMPDIR: folder };
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const url = String((await once(child.stdout, 'data'))[0]).trim();
  if (url !== 'none') await (await connectDatabase(url)).end();
  child.kill('SIGKILL');
  await exited;
  if (url === 'none') return t.skip('needs PostgreSQL');
  for (;;) {
    try {
      await (await connectDatabase(url)).end();
    } catch {
      break;
    }
  }
  // What removes its folder has outlived both.
  await eventually(() => readdirSync(folder), []);
});
