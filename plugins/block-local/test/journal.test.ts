/** The journal of an open store: when it ends, what it does when it fails, and what another start finds. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { silentLogger } from '@srv/kernel';
import { rejectsWith, until } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import { AdoptedJournals } from '../src/server/journal/adopted-journals.js';
import { encodeHead, encodeRecords } from '../src/server/journal/journal-format.js';
import { openLocalBlockStore } from '../src/server/open.js';
import type { TestContext } from 'node:test';
import type { Logger } from '@srv/kernel';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';
import type { JournalRecord } from '../src/server/journal/journal-format.js';
import type { Retirement } from '../src/server/journal/retirement.js';
import type { OpenOptions } from '../src/server/open.js';

const host = hostname().replace(/[^A-Za-z0-9.]/g, '_');
const pointer = (identifier: string): ObjectPointer => ({ namespace: 'local://repo', identifier, identifierType: identifierType.relative });
const read = async (store: BlockStore, key: string): Promise<string> => (await buffer(await store.get(pointer(key)))).toString();
const putText = (store: BlockStore, key: string, text: string): Promise<unknown> => store.put(pointer(key), Buffer.from(text));

/** A folder, and stores on it that are closed with the test. */
async function fixture(
  t: TestContext,
): Promise<{ path: string; journals: string; open: (options?: Partial<OpenOptions>) => Promise<BlockStore> }> {
  const path = await mkdtemp(join(tmpdir(), 'srv-journal-'));
  const stores: BlockStore[] = [];
  t.after(async () => {
    await Promise.all(stores.map(store => store.close()));
    await rm(path, { recursive: true, force: true });
  });
  const open = async (options: Partial<OpenOptions> = {}): Promise<BlockStore> => {
    const store = await openLocalBlockStore({ path, ...options });
    stores.push(store);
    return store;
  };
  return { path, journals: join(path, '.srv-journal'), open };
}

/** Segments of all journals. */
function segments(journals: string): string[] {
  if (!existsSync(journals)) return [];
  return readdirSync(journals, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.log'));
}

/** A logger that keeps its messages. */
function recorder(): Logger & { readonly lines: string[] } {
  const lines: string[] = [];
  const log = (_: unknown, message: string): number => lines.push(message);
  return { ...silentLogger, warn: log, error: log, info: log, lines };
}

/** Writes a journal as another store would have left it. */
function leave(journals: string, owner: string, bootId: string, records: readonly JournalRecord[]): string {
  const folder = join(journals, owner);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, '00000001.log'), Buffer.concat([encodeHead(bootId), encodeRecords(records)]));
  return folder;
}

const record = (name: string, text: string, mtimeMs = Date.now()): JournalRecord => ({
  kind: 'put',
  name: `repo/${name}`,
  mtimeNs: BigInt(mtimeMs) * 1_000_000n,
  content: Buffer.from(text),
});

test('closes and retires segments automatically, and leaves no journal after a clean stop', async t => {
  const { journals, open } = await fixture(t);
  const store = await open({ journalLimits: { segmentMs: 20, retireAfterMs: 20 } });
  assert.equal(existsSync(journals), false, 'no journal exists before the first write');
  for (let i = 0; i < 20; i++) await putText(store, `a/${i}`, `content ${i}`);
  assert.ok(segments(journals).length > 0);
  await until(() => segments(journals).length === 0);
  for (let i = 0; i < 20; i++) assert.equal(await read(store, `a/${i}`), `content ${i}`);
  await putText(store, 'b', 'content');
  await store.close();
  assert.deepEqual(readdirSync(journals), []);
});

test('beyond totalBytes: the journal stays within its bounds under load', async t => {
  const { journals, open } = await fixture(t);
  const totalBytes = 1 << 20;
  const store = await open({ journalLimits: { segmentBytes: 64 << 10, totalBytes } });
  const body = Buffer.alloc(4096, 'x');
  let largest = 0;
  const writer = async (prefix: number): Promise<void> => {
    for (let i = 0; i < 60; i++) {
      await store.put(pointer(`${prefix}/${i}`), body);
      let bytes = 0;
      for (const name of segments(journals)) bytes += statSync(join(journals, name), { throwIfNoEntry: false })?.size ?? 0;
      largest = Math.max(largest, bytes);
    }
  };
  await Promise.all(Array.from({ length: 32 }, (_, i) => writer(i)));
  // One batch may go beyond it.
  assert.ok(largest <= totalBytes + 64 * 5000, `${largest} bytes`);
  assert.ok(largest > totalBytes / 4, `${largest} bytes: the journal was hardly used`);
});

test('a journal that cannot be written is done without', async t => {
  const { journals, open } = await fixture(t);
  const log = recorder();
  const store = await open({ log });
  writeFileSync(journals, 'in the way');
  await Promise.all(Array.from({ length: 100 }, (_, i) => putText(store, `a/${i}`, `content ${i}`)));
  for (let i = 0; i < 100; i++) assert.equal(await read(store, `a/${i}`), `content ${i}`);
  await putText(store, 'a/1', 'changed');
  await store.remove(pointer('a/2'));
  assert.equal(await read(store, 'a/1'), 'changed');
  await rejectsWith(() => store.get(pointer('a/2')), 'no_data');
  assert.deepEqual(log.lines, ['the journal of small files failed; for a while each file is synced separately']);
});

test('a journal that disappears is done without', async t => {
  const { journals, open } = await fixture(t);
  const store = await open();
  await putText(store, 'a', 'first');
  await putText(store, 'b', 'first');
  rmSync(journals, { recursive: true });
  writeFileSync(journals, 'in the way');
  await putText(store, 'c', 'content');
  await putText(store, 'a', 'second');
  await store.remove(pointer('b'));
  assert.equal(await read(store, 'a'), 'second');
  assert.equal(await read(store, 'c'), 'content');
  await rejectsWith(() => store.get(pointer('b')), 'no_data');
  rmSync(journals);
});

test('changes of one path at the same time take place one after the other', async t => {
  const { open } = await fixture(t);
  const store = await open();
  const large = 'l'.repeat(100_000);
  for (let round = 0; round < 20; round++) {
    await Promise.all([putText(store, 'x', 'small'), putText(store, 'x', large), putText(store, 'x', 'other'), store.remove(pointer('y'))]);
    assert.ok(['small', 'other', large].includes(await read(store, 'x')));
    await putText(store, 'y', `y ${round}`);
    assert.equal(await read(store, 'y'), `y ${round}`);
  }
});

test('under the running system nothing is written again, and what ended processes left is retired', async t => {
  const { path, journals, open } = await fixture(t);
  await open();
  const removed = leave(journals, 'elsewhere-1-live', 'boot', [record('removed', 'x')]);
  const foreign = leave(journals, 'elsewhere-2-old', 'boot', [record('removed too', 'x')]);
  utimesSync(foreign, 0, 0);
  utimesSync(join(foreign, '00000001.log'), 0, 0);
  leave(journals, `${host}-999999999-dead`, 'boot', [record('a', 'x'), record('b', 'x')]);
  // A container that starts again has other process numbers.
  const restarted = leave(journals, `${host}-1-00000001aaaaaaaaaaaa`, 'boot', [record('c', 'x')]);
  const living = leave(journals, `${host}-${process.ppid}-live`, 'boot', [record('removed', 'x')]);
  const store = await open({ bootId: 'boot' });
  // A path of the ended process can be written at once.
  await putText(store, 'a', 'new');
  await until(() => readdirSync(journals).length === 3);
  assert.deepEqual(existsSync(removed) && existsSync(living), true);
  assert.deepEqual(existsSync(foreign) || existsSync(restarted), false);
  assert.equal(await read(store, 'a'), 'new');
  assert.equal(await store.exists(pointer('removed')), false);
  assert.equal(existsSync(join(path, 'repo/b')), false);
});

test('a journal whose owner runs after all, and begins a segment while it is retired, stays', async t => {
  const { journals } = await fixture(t);
  const folder = leave(journals, 'elsewhere-1-idle', 'boot', [record('a', 'x')]);
  const begun = join(folder, '00000002.log');
  const retirement: Pick<Retirement, 'names' | 'retire'> = {
    names: async () => new Set(),
    async retire(path) {
      rmSync(path);
      writeFileSync(begun, Buffer.concat([encodeHead('boot'), encodeRecords([record('b', 'y')])]));
    },
  };
  await new AdoptedJournals([folder], retirement, silentLogger).done;
  assert.ok(existsSync(begun));
});

test('after another start of the system a journal is replayed once', async t => {
  const { path, journals, open } = await fixture(t);
  const now = Date.now();
  const records = [
    record('missing/file', 'whole', now),
    record('torn', 'whole', now),
    record('newer', 'old', now - 5000),
    record('ended', 'x', now),
    { kind: 'forget', name: 'repo/ended' } as const,
  ];
  mkdirSync(join(path, 'repo'));
  writeFileSync(join(path, 'repo/torn'), '\0\0\0');
  utimesSync(join(path, 'repo/torn'), now / 1000 - 1, now / 1000 - 1);
  writeFileSync(join(path, 'repo/newer'), 'new');
  const own = leave(journals, `${host}-999999999-dead`, 'another boot', records);
  const first = await open();
  assert.equal(await read(first, 'missing/file'), 'whole');
  assert.equal(await read(first, 'torn'), 'whole');
  assert.equal(await read(first, 'newer'), 'new');
  assert.equal(await first.exists(pointer('ended')), false);
  assert.ok(Math.abs((await first.properties(pointer('torn'))).lastModified.getTime() - now) <= 1, 'it keeps its time');
  assert.equal(existsSync(own), false);

  // Whether another machine's journal is still in use is unknown.
  const foreign = leave(journals, 'elsewhere-1-live', 'another boot', [record('foreign', 'first', now)]);
  const second = await open();
  assert.equal(await read(second, 'foreign'), 'first');
  await second.remove(pointer('foreign'));
  const third = await open();
  assert.equal(await third.exists(pointer('foreign')), false, 'what was removed stays removed');
  const grown = [record('foreign', 'first', now), record('foreign later', 'second', now)];
  writeFileSync(join(foreign, '00000001.log'), Buffer.concat([encodeHead('another boot'), encodeRecords(grown)]));
  const fourth = await open();
  assert.equal(await fourth.exists(pointer('foreign')), false);
  assert.equal(await read(fourth, 'foreign later'), 'second');
  for (const file of ['', '00000001.log']) utimesSync(join(foreign, file), 0, 0);
  await open();
  assert.equal(existsSync(foreign), false, 'after a day it goes');
});

test('reads wait for a replay that another store has begun', async t => {
  const { journals, open } = await fixture(t);
  const records = Array.from({ length: 300 }, (_, i) => record(`many/${i}`, `content ${i}`));
  leave(journals, `${host}-999999999-dead`, 'another boot', records);
  const stores = await Promise.all([open(), open(), open()]);
  for (const store of stores) assert.equal((await Promise.all(records.map((_, i) => read(store, `many/${i}`)))).at(-1), 'content 299');

  const busy = leave(journals, `${host}-${process.ppid}-replay00fe`, 'another boot', [record('x', 'content')]);
  let opened = false;
  const opening = open().then(store => {
    opened = true;
    return store;
  });
  await sleep(100);
  assert.equal(opened, false, 'it waits during the replay');
  rmSync(busy, { recursive: true });
  await opening;

  // The process that began it has died meanwhile.
  const claimed = leave(journals, `${host}-${process.ppid}-replay00ff`, 'another boot', [record('late', 'content')]);
  for (const file of ['', '00000001.log']) utimesSync(join(claimed, file), 0, 0);
  assert.equal(await read(await open(), 'late'), 'content');
});

test('a journal of a later version stops the start and stays', async t => {
  const { journals, open } = await fixture(t);
  const folder = leave(journals, 'elsewhere-1-later', 'boot', []);
  const head = encodeHead('boot');
  head.writeUInt8(2, 7);
  head.writeUInt32LE(crc32(head.subarray(0, -4)), head.length - 4);
  writeFileSync(join(folder, '00000001.log'), head);
  await rejectsWith(() => open(), 'config', /a journal of version 2/);
  assert.deepEqual(readdirSync(folder), ['00000001.log']);
  renameSync(folder, join(journals, '..', 'aside'));
  await open();
});
