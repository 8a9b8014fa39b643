/** What scans have shown to be empty is remembered, and no write is missed for it. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { collect, seededRandom, until } from '@srv/kernel/testing';
import { KnownEnds } from '../src/server/known-ends.js';
import { openLocalKvStore } from '../src/server/open.js';

let folder = '';
let store: Awaited<ReturnType<typeof openLocalKvStore>>;
const key = (text: string): Buffer => Buffer.from(text);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'srv-kv-ends-'));
  store = await openLocalKvStore({ path: folder, syncWrites: false, prefetchSize: 3 });
});
after(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

test('saves a scan after the last record until something is written there', () => {
  const ends = new KnownEnds();
  assert.equal(ends.isPastEnd('p', key('k')), false);
  ends.ended('p', ends.begin('p', key('k')), true);
  assert.deepEqual(
    [key('k'), key('l'), key('a')].map(at => ends.isPastEnd('p', at)),
    [true, true, false],
  );
  assert.equal(ends.isPastEnd('other', key('k')), false);
  ends.ended('p', ends.begin('p', key('')), true);
  assert.equal(ends.isPastEnd('p', key('')), true);
  ends.ended('p', ends.begin('p', key('x')), true);
  assert.equal(ends.isPastEnd('p', key('')), true, 'knowing less changes nothing');
  ends.wrote('p', key('b'));
  assert.equal(ends.isPastEnd('p', key('c')), false);
});

test('asks for a scan after 256 reads of a partition that found nothing, then seldom until its end has changed', () => {
  const ends = new KnownEnds();
  const asked = (partition: string, reads: number): number =>
    Array.from({ length: reads }, () => ends.missed(partition)).filter(Boolean).length;
  assert.equal(asked('p', 255), 0);
  assert.equal(asked('other', 255), 0);
  assert.equal(asked('p', 1), 1);
  assert.equal(asked('p', 16_383), 0);
  assert.equal(asked('p', 1), 1);
  ends.ended('p', ends.begin('p', key('')), true);
  ends.wrote('p', key('a'));
  assert.equal(asked('p', 255), 0);
  assert.equal(asked('p', 1), 1);
});

/** Enough reads that find nothing to make the store look whether the partition has records at all. */
async function missOften(partition: string): Promise<void> {
  for (let i = 0; i < 256; i++) await store.get(partition, key(`absent ${i}`));
}

test('a partition is known to be empty after many reads that found nothing, until something is written there', async () => {
  await missOften('quiet');
  await until(() => store.isEmptyFrom('quiet', key('')));
  await store.set('quiet', key('absent 7'), key('value'));
  assert.equal(store.isEmptyFrom('quiet', key('')), false);
  assert.equal((await store.get('quiet', key('absent 7')))?.value.toString(), 'value');
  await missOften('quiet');
  await collect(store.scan('quiet', { start: key('z') }));
  assert.equal(store.isEmptyFrom('quiet', key('absent 7')), false);
});

test('ignores a scan during which something was written', () => {
  const ends = new KnownEnds();
  const scan = ends.begin('p', key(''));
  ends.wrote('p', key('a'));
  ends.ended('p', scan, true);
  assert.equal(ends.isPastEnd('p', key('')), false);
  const found = ends.begin('p', key(''));
  ends.ended('p', found, false);
  assert.equal(ends.isPastEnd('p', key('')), false);
});

test('gets and scans see every write that was answered before they began', async t => {
  const random = seededRandom();
  t.diagnostic(`SRV_TEST_SEED=${random.seed}`);
  const partitions = Array.from({ length: 6 }, (_, i) => `partition-${i}`);
  /** By partition and key: which write it was. */
  const there = new Map<string, Map<string, number>>(partitions.map(name => [name, new Map()]));
  const busy = new Set<string>();
  let writes = 0;
  const change = async (partition: string, at: string, known: Map<string, number>): Promise<void> => {
    const id = `${partition}/${at}`;
    if (busy.has(id)) return;
    busy.add(id);
    known.delete(at);
    // Most partitions are empty most of the time.
    if (random.below(4) === 0) {
      await store.set(partition, key(at), key('value'));
      known.set(at, writes++);
    } else await store.delete(partition, key(at));
    busy.delete(id);
  };
  const work = async (): Promise<void> => {
    for (let step = 0; step < 200; step++) {
      const partition = random.choose(partitions);
      const at = String(random.below(40)).padStart(2, '0');
      const known = there.get(partition) ?? new Map<string, number>();
      const expected = [...known].filter(([name]) => name >= at);
      const missing = (has: (name: string) => boolean) => expected.find(([name, write]) => known.get(name) === write && !has(name));
      const choice = random.below(10);
      if (random.below(20) === 0) await missOften(partition);
      if (choice < 4) await change(partition, at, known);
      else if (choice < 7) {
        const found = await store.get(partition, key(at));
        assert.equal(
          missing(name => name !== at || found !== undefined),
          undefined,
          `seed ${random.seed}: ${partition}`,
        );
      } else {
        const found = new Set((await collect(store.scan(partition, { start: key(at) }))).map(entry => entry.key.toString()));
        assert.equal(
          missing(name => found.has(name)),
          undefined,
          `seed ${random.seed}: ${partition} from ${at}`,
        );
      }
      if (random.below(3) === 0) await nextTurn();
    }
  };
  await Promise.all(Array.from({ length: 12 }, work));
});

test('beyond maxPartitions: the end looked for longest ago is forgotten', () => {
  const ends = new KnownEnds();
  for (let i = 0; i <= 10_000; i++) ends.ended(`p${i}`, ends.begin(`p${i}`, key('k')), true);
  assert.deepEqual(
    ['p0', 'p1', 'p10000'].map(partition => ends.isPastEnd(partition, key('k'))),
    [false, true, true],
  );
  for (let i = 0; i < 255; i++) ends.missed('p');
  for (let i = 0; i < 10_000; i++) ends.missed(`p${i}`);
  assert.equal(ends.missed('p'), false, 'its misses are forgotten, too');
});
