/**
 * Files of a killed database that go missing or lose their end. LevelDB replays the logs that it finds and trusts a manifest
 * that ends early, so it is the start that has to notice.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isSrvError, silentLogger } from '@srv/kernel';
import { rejectsWith, seededRandom } from '@srv/kernel/testing';
import { checkLog } from '../src/server/log-check.js';
import { encodeLog } from '../src/server/log-format.js';
import { openLocalKvStore } from '../src/server/open.js';
import { prepareRepair } from '../src/server/repair.js';
import { copyByLinks, killedDatabase, logsIn, partition, recordsOf } from './killed-database.js';
import type { KvStore, Logger } from '@srv/kernel';
import type { KilledDatabase } from './killed-database.js';

const random = seededRandom();
let work = '';
let killed: KilledDatabase;
/** The same database, killed while a memtable was on its way to a table: its log and the next one hold records. */
let killedInFlush = '';

before(async () => {
  work = await mkdtemp(join(tmpdir(), 'srv-kv-lost-files-'));
  killed = await killedDatabase(work, random);
  killedInFlush = join(work, 'killed-in-flush');
  await copyByLinks(killed.folder, killedInFlush);
  const [log = ''] = await logsIn(killedInFlush);
  const records = await recordsOf(join(killedInFlush, log));
  const half = records.length >> 1;
  assert.ok(half > 1, 'the log of the sample is too short');
  await replace(join(killedInFlush, log), Buffer.concat([...encodeLog(records.slice(0, half))]));
  const next = `${String(Number.parseInt(log, 10) + 1).padStart(6, '0')}.log`;
  await writeFile(join(killedInFlush, next), Buffer.concat([...encodeLog(records.slice(half))]), { flag: 'wx' });
});
after(() => rm(work, { recursive: true, force: true }));

const open = (path: string, options: { strict?: boolean; reports?: Logger } = {}): Promise<KvStore> =>
  openLocalKvStore({ path, syncWrites: true, prefetchSize: 256, ...options });

let copies = 0;
async function copyOf(folder: string): Promise<string> {
  const path = join(work, `copy-${copies++}`);
  await copyByLinks(folder, path);
  return path;
}

/** Writes a new file, because copies share theirs. */
async function replace(file: string, bytes: Buffer): Promise<void> {
  await rm(file);
  await writeFile(file, bytes);
}

async function shorten(file: string, length: number): Promise<void> {
  await replace(file, (await readFile(file)).subarray(0, length));
}

async function manifestOf(path: string): Promise<string> {
  return join(path, (await readFile(join(path, 'CURRENT'), 'latin1')).trim());
}

/** How many records are missing or hold another value, by look-ups and by a scan. */
async function missing(store: KvStore): Promise<number> {
  const scanned = new Map<string, Buffer>();
  for await (const page of store.scan(partition)) for (const { key, value } of page) scanned.set(key.toString(), value);
  let count = 0;
  for (const [key, value] of killed.records) {
    const found = await store.get(partition, Buffer.from(key));
    if (!found?.value.equals(value) || !scanned.get(key)?.equals(value)) count++;
  }
  return count;
}

const remedy = /restore the folder from a backup, or run `srv kv repair`, which says what would be lost before it changes anything$/;

test('opens the database of a killed process, strictly, with all records', async () => {
  for (const folder of [killed.folder, killedInFlush]) {
    const store = await open(await copyOf(folder), { strict: true });
    assert.equal(await missing(store), 0);
    await store.close();
  }
});

test('a lost log is refused, and repair says that its records are lost', async () => {
  const path = await copyOf(killed.folder);
  const [log = ''] = await logsIn(path);
  await rm(join(path, log));
  const names = (await readdir(path)).sort();
  await rejectsWith(() => open(path), 'corrupt', new RegExp(`${log}, which MANIFEST-\\d+ needs, is missing`));
  await rejectsWith(() => open(path), 'corrupt', remedy);
  assert.deepEqual((await readdir(path)).filter(name => !name.startsWith('LO')).sort(), names);
  const repair = await prepareRepair(path);
  assert.match(repair.findings.join('\n'), new RegExp(`^the database does not open: ${log}, which MANIFEST-\\d+ needs, is missing`));
  await repair.apply();
  await repair.close();
  await (await open(path, { strict: true })).close();
});

test(`a manifest that has lost edits is refused, and repair loses nothing; SRV_TEST_SEED=${random.seed}`, async () => {
  const { length } = await readFile(await manifestOf(killed.folder));
  for (const to of [length - 1, random.below(length), random.below(length)]) {
    const path = await copyOf(killed.folder);
    await shorten(await manifestOf(path), to);
    await rejectsWith(() => open(path), 'corrupt', to === length - 1 ? /\d+\.log, which MANIFEST-\d+ needs, is missing/ : remedy);
    const repair = await prepareRepair(path);
    assert.ok(repair.isNeeded, `cut to ${to} bytes`);
    await repair.apply();
    await repair.close();
    const store = await open(path, { strict: true });
    assert.equal(await missing(store), 0, `cut to ${to} bytes`);
    await store.close();
  }
});

test('a table that has lost its end is refused', async () => {
  const path = await copyOf(killed.folder);
  const table = (await readdir(path)).find(name => name.endsWith('.ldb')) ?? '';
  const { length } = await readFile(join(path, table));
  await shorten(join(path, table), length - 1);
  await rejectsWith(() => open(path), 'corrupt', new RegExp(`${table} has ${length - 1} of ${length} bytes`));
});

test('a log without its last records is damage when a newer log continues', async () => {
  const path = await copyOf(killedInFlush);
  const [older = ''] = await logsIn(path);
  await shorten(join(path, older), (await readFile(join(path, older))).length - 10);
  await rejectsWith(() => open(path, { strict: true }), 'corrupt', new RegExp(`has lost records \\(${older}: .*its last records\\)`));
  const lines: string[] = [];
  await (await open(path, { reports: { ...silentLogger, error: (_fields, message) => void lines.push(message) } })).close();
  assert.match(lines.join('\n'), /^the embedded database has lost records/);
  assert.deepEqual(await readdir(join(path, 'lost')), [older]);
});

test('files that a kill kept LevelDB from deleting or using are not judged', async () => {
  const path = await copyOf(killed.folder);
  const [log = ''] = await logsIn(path);
  const garbage = Buffer.alloc(100, 'garbage');
  for (const name of ['000001.log', '000001.ldb', 'MANIFEST-000001']) await writeFile(join(path, name), garbage);
  // Opening creates the log before the manifest names it.
  await writeFile(join(path, `${String(Number.parseInt(log, 10) + 9).padStart(6, '0')}.log`), '');
  const repair = await prepareRepair(path);
  assert.equal(repair.isNeeded, false, repair.findings.join('\n'));
  await repair.close();
  const lines: string[] = [];
  const note = (_fields: object, message: string): void => void lines.push(message);
  const store = await open(path, { strict: true, reports: { ...silentLogger, warn: note, error: note } });
  assert.equal(await missing(store), 0);
  await store.close();
  assert.deepEqual(lines, []);
});

test(`any file that is lost or cut is noticed, unless no record is missing; SRV_TEST_SEED=${random.seed}`, async () => {
  for (const folder of [killed.folder, killedInFlush]) {
    const logs = await logsIn(folder);
    for (const name of (await readdir(folder)).filter(file => /^(CURRENT$|MANIFEST-|\d+\.)/.test(file))) {
      const { length } = await readFile(join(folder, name));
      const isNewestLog = name === logs.at(-1);
      // Of a log that was begun during a flush no other file knows.
      if (!isNewestLog || logs.length === 1) await judge(folder, name, async path => rm(path));
      for (const to of new Set([0, 1, random.below(length), random.below(length), random.below(length), length - 1]))
        await judge(folder, name, path => shorten(path, to), isNewestLog);
    }
  }
});

/** @param mayBeReported whether losing the end is like a write that was interrupted. */
async function judge(folder: string, name: string, damage: (file: string) => Promise<void>, mayBeReported = false): Promise<void> {
  const path = await copyOf(folder);
  const file = join(path, name);
  await damage(file);
  const cut = await readFile(file).catch(() => undefined);
  const what = `${file} ${cut === undefined ? 'lost' : `cut to ${cut.length} bytes`}`;
  // A log that ends between two records looks like one that never held more.
  const isUndetectable = mayBeReported && (await checkLog(file)).unfinishedBytes === 0;
  const lines: string[] = [];
  const reports = { ...silentLogger, warn: (_fields: object, message: string) => void lines.push(message) };
  let store: KvStore;
  try {
    store = await open(path, { strict: true, reports });
  } catch (error) {
    assert.ok(isSrvError(error) && error.code === 'corrupt', `${what}: ${String(error)}`);
    return;
  }
  const lost = await missing(store).finally(() => store.close());
  if (mayBeReported) assert.ok(isUndetectable || lines.some(line => line.includes('unfinished write')), `${what}: no report`);
  else assert.equal(lost, 0, `${what}: ${lost} records are missing, and the database opens`);
}
