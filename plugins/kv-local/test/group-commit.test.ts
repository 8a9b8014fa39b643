import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { SrvError, absent, present } from '@srv/kernel';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { GroupCommit } from '../src/server/group-commit.js';
import { openLocalKvStore } from '../src/server/open.js';
import type { KvStore, Logger } from '@srv/kernel';
import type { CommitTarget } from '../src/server/group-commit.js';

let folder = '';
let store: KvStore;
const commits: number[] = [];
const log: Logger = {
  trace: (fields, message) => {
    if (message === 'kv group commit') commits.push(Number(fields.writes));
  },
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => log,
};
const key = (text: string): Buffer => Buffer.from(text);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'srv-kv-group-'));
  store = await openLocalKvStore({ path: folder, syncWrites: true, prefetchSize: 10, log });
});
after(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

test('writes of one turn share one synced batch; a key written twice is written once', async () => {
  commits.length = 0;
  await Promise.all(Array.from({ length: 100 }, (_, i) => store.set('shared', key(`k${i % 50}`), key(String(i)))));
  assert.deepEqual(commits, [50]);
  assert.equal((await store.get('shared', key('k7')))?.value.toString(), '57');
});

test('a value that was stored before is gone for what follows its deletion in the same group', async () => {
  await store.set('gone', key('k'), key('0'));
  const outcomes = await Promise.all([
    store.delete('gone', key('k')),
    store.setIf('gone', key('k'), key('1'), present),
    store.setIf('gone', key('k'), key('2'), { kvPredicate: key('0') }),
    store.setIf('gone', key('k'), key('3'), absent),
  ]);
  assert.deepEqual(outcomes, [undefined, false, false, true]);
  assert.equal((await store.get('gone', key('k')))?.value.toString(), '3');
});

test('conditions are judged in order of arrival, against earlier writes of the same group', async () => {
  const outcomes = await Promise.all([
    store.setIf('order', key('k'), key('0'), present),
    store.setIf('order', key('k'), key('1'), absent),
    store.setIf('order', key('k'), key('2'), absent),
    store.setIf('order', key('k'), key('3'), { kvPredicate: key('1') }),
    store.setIf('order', key('k'), key('4'), { kvPredicate: key('1') }),
    store.delete('order', key('k')),
    store.setIf('order', key('k'), key('5'), present),
    store.setIf('order', key('k'), key('6'), absent),
    store.set('order', key('k'), key('7')),
    store.setIf('order', key('k'), key('8'), { kvPredicate: key('7') }),
  ]);
  assert.deepEqual(outcomes, [false, true, false, true, false, undefined, false, true, undefined, true]);
  assert.equal((await store.get('order', key('k')))?.value.toString(), '8');
});

test('records that are written together are one write of a group, or none', async () => {
  const { setIfWith } = store;
  assert.ok(setIfWith);
  commits.length = 0;
  const record = (name: string, value: string) => ({ partition: 'joint', key: key(name), value: key(value) });
  const write = (name: string, condition: typeof absent | typeof present, ...further: string[]) =>
    setIfWith.call(
      store,
      record(name, '1'),
      condition,
      further.map(other => record(other, name)),
    );
  assert.deepEqual(await Promise.all([write('a', absent, 'x', 'y'), write('b', present, 'x', 'z'), write('c', absent, 'y')]), [
    true,
    false,
    true,
  ]);
  assert.deepEqual(commits, [4]);
  assert.deepEqual(
    (await collect(store.scan('joint'))).map(e => `${e.key.toString()}=${e.value.toString()}`),
    ['a=1', 'c=1', 'x=a', 'y=c'],
  );
});

test('one bad or cancelled write does not harm its group', async () => {
  const controller = new AbortController();
  const good = store.set('mixed', key('good'), key('v'));
  const bad = store.setIf('mixed', key('bad'), key('v'), { kvPredicate: 'from another store' });
  const cancelled = store.set('mixed', key('cancelled'), key('v'), controller.signal);
  controller.abort();
  await Promise.all([good, rejectsWith(() => bad, 'invalid', /not made by this store/), rejectsWith(() => cancelled, 'cancelled')]);
  assert.deepEqual(
    (await collect(store.scan('mixed'))).map(e => e.key.toString()),
    ['good'],
  );
});

test('many and large writes are cut into groups of bounded size', async () => {
  commits.length = 0;
  await Promise.all(Array.from({ length: 1200 }, (_, i) => store.set('many', key(`k${i}`), key('v'))));
  assert.deepEqual(commits, [500, 500, 200]);
  commits.length = 0;
  await Promise.all(Array.from({ length: 8 }, (_, i) => store.set('large', key(`k${i}`), Buffer.alloc(1_500_000))));
  assert.deepEqual(commits, [2, 2, 2, 2]);
  commits.length = 0;
  const large = (name: string) => ({ partition: 'joint', key: key(name), value: Buffer.alloc(1_500_000) });
  await Promise.all(Array.from({ length: 4 }, async (_, i) => store.setIfWith?.(large(`k${i}`), absent, [large(`l${i}`)])));
  assert.deepEqual(commits, [2, 2, 2, 2]);
});

test('the first page is as long as asked for, and later ones grow from twice prefetch_size', async () => {
  const sizes: number[] = [];
  for await (const page of store.scan('shared', { batchSize: 3 })) sizes.push(page.length);
  assert.deepEqual(sizes, [3, 20, 27]);
});

test('a partition name of more than 65,535 bytes is refused', async () => {
  await rejectsWith(() => store.get('p'.repeat(65_536), key('k')), 'invalid', /65536 bytes are more than 65535/);
});

test('when the disk refuses a batch every write of the group fails, and the next group is tried', async () => {
  let full = true;
  const db = {
    untilWritable: () => Promise.resolve(),
    getSync: () => undefined,
    batch: async () => {
      if (full) throw new SrvError('storage_full', 'no space');
    },
  };
  const commits = new GroupCommit(db satisfies CommitTarget, true);
  const writes = ['a', 'b'].map(k => commits.write({ key: key(k), value: key('v') }));
  for (const write of writes) await rejectsWith(() => write, 'storage_full', /no space/);
  full = false;
  assert.equal(await commits.write({ key: key('c'), value: key('v'), condition: absent }), true);
  await commits.drain();
});
