/** Folders that a killed server left. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { scratchFolder } from '@srv/kernel/testing';
import { startSrv } from '@srv/test-servers';
import { foldersOf, isSpilling, stalledEngine } from './stalled-engine.js';
import type { ChildProcess } from 'node:child_process';
import type { TestContext } from 'node:test';

const program = fileURLToPath(new URL('./server-child.js', import.meta.url));

/** A server process whose query has spilled. */
async function startChild(t: TestContext, config: Readonly<Record<string, string>>): Promise<ChildProcess & { readonly pid: number }> {
  // What a killed server leaves elsewhere goes with the test.
  const TMPDIR = scratchFolder();
  const child = fork(program, [JSON.stringify(config)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env: { ...process.env, TMPDIR } });
  t.after(() => {
    child.kill('SIGKILL');
    rmSync(TMPDIR, { recursive: true, force: true });
  });
  assert.deepEqual(await once(child, 'message'), ['ready', undefined]);
  return Object.assign(child, { pid: child.pid ?? assert.fail('the process did not start') });
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Its stop waits for what its start removes. */
async function startAndStop(config: Readonly<Record<string, string>>): Promise<void> {
  const server = await startSrv({ plugins: ['sql-engine'], config });
  await server.stop();
}

it('folders of a killed server are removed at the next start, and those of a running one are kept', async t => {
  const dir = join(scratchFolder(), 'queries');
  mkdirSync(dir);
  const config = { 'sql_engine.dir': dir, 'sql_engine.installed_in': stalledEngine() };
  const [running, killed] = await Promise.all([startChild(t, config), startChild(t, config)]);
  await kill(killed);
  assert.equal(foldersOf(dir, killed.pid).length, 2, 'a killed server leaves its query and its tables');
  await startAndStop(config);
  assert.deepEqual(foldersOf(dir, killed.pid), []);
  assert.equal(foldersOf(dir, running.pid).length, 2);
  assert.ok(isSpilling(dir, running.pid), 'files of the running query are kept');
  await kill(running);
  await startAndStop(config);
  assert.deepEqual(readdirSync(dir), []);
});

it('files, links and folders of others in the folder are not touched', async () => {
  const [dir, elsewhere] = [scratchFolder(), scratchFolder()];
  const ages = { 'srv-sql-elsewhere-1-new': new Date(), 'srv-sql-elsewhere-1-old': new Date(0), 'other-elsewhere-1-old': new Date(0) };
  for (const [name, date] of Object.entries(ages)) {
    mkdirSync(join(dir, name));
    utimesSync(join(dir, name), date, date);
  }
  writeFileSync(join(elsewhere, 'a'), '');
  symlinkSync(elsewhere, join(dir, 'srv-sql-elsewhere-1-link'));
  utimesSync(elsewhere, 0, 0);
  writeFileSync(join(dir, 'srv-sql-elsewhere-1-file'), '');
  utimesSync(join(dir, 'srv-sql-elsewhere-1-file'), 0, 0);
  await startAndStop({ 'sql_engine.dir': dir });
  assert.deepEqual(readdirSync(dir).sort(), [
    'other-elsewhere-1-old',
    'srv-sql-elsewhere-1-file',
    'srv-sql-elsewhere-1-link',
    'srv-sql-elsewhere-1-new',
  ]);
  assert.ok(existsSync(join(elsewhere, 'a')));
});
