/** Records that are kept in memory are those of the database, whatever is written meanwhile. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { seededRandom } from '@srv/kernel/testing';
import { GroupCommit } from '../src/server/group-commit.js';
import { RecentRecords } from '../src/server/recent-records.js';
import type { SeededRandom } from '@srv/kernel/testing';
import type { RecoveringDatabase } from '../src/server/recovering-database.js';

const key = (text: string): Buffer => Buffer.from(text);

/** A database that changes at some moment of a batch, and counts what is read from it. */
class SlowDatabase implements Pick<RecoveringDatabase, 'untilWritable' | 'getSync' | 'batch'> {
  readonly records = new Map<string, Buffer>();
  readonly #random: SeededRandom;
  reads = 0;
  failures = 0;

  constructor(random = seededRandom()) {
    this.#random = random;
  }

  async untilWritable(): Promise<void> {}

  getSync(at: Buffer): Buffer | undefined {
    this.reads++;
    return this.records.get(at.toString());
  }

  async batch(...[changes]: Parameters<RecoveringDatabase['batch']>): Promise<void> {
    const fate = this.failures > 0 ? this.#random.below(3) : 2;
    await this.#turns();
    if (fate > 0)
      for (const change of changes) {
        if (change.type === 'del') this.records.delete(change.key.toString());
        else this.records.set(change.key.toString(), change.value);
      }
    await this.#turns();
    if (fate === 2) return;
    this.failures--;
    throw new Error('the disk failed');
  }

  async #turns(): Promise<void> {
    for (let turns = this.#random.below(4); turns > 0; turns--) await nextTurn();
  }
}

describe('records that are read again and again', () => {
  it('are read from the database twice, and again once they were written', async () => {
    const db = new SlowDatabase();
    const records = new RecentRecords(db);
    const read = (times: number): number => {
      const before = db.reads;
      for (let i = 0; i < times; i++) records.getSync(key('a'));
      return db.reads - before;
    };
    assert.equal(read(5), 2, 'that it is not there is kept');
    await records.batch([{ type: 'put', key: key('a'), value: key('1') }], { sync: true });
    assert.equal(read(5), 1);
    assert.equal(records.getSync(key('a'))?.toString(), '1');
    await records.batch([{ type: 'put', key: key('a'), value: key('2') }], { sync: true });
    assert.equal(read(5), 1);
    assert.equal(records.getSync(key('a'))?.toString(), '2');
    await records.batch([{ type: 'del', key: key('a') }], { sync: true });
    assert.equal(read(5), 1);
    assert.equal(records.getSync(key('a')), undefined);
  });

  it('are not kept when they are large', async () => {
    const db = new SlowDatabase();
    const records = new RecentRecords(db);
    await records.batch([{ type: 'put', key: key('a'), value: Buffer.alloc(4097) }], { sync: true });
    for (let i = 0; i < 5; i++) records.getSync(key('a'));
    assert.equal(db.reads, 5);
  });

  it('beyond maxKeptBytes: those read long ago are read from the database again', () => {
    const db = new SlowDatabase();
    const records = new RecentRecords(db);
    const name = (i: number): Buffer => key(`record ${String(i).padStart(4, '0')}`);
    for (let i = 0; i < 3000; i++) db.records.set(name(i).toString(), Buffer.alloc(4096));
    for (let i = 0; i < 3000; i++) for (let reads = 0; reads < 2; reads++) records.getSync(name(i));
    const before = db.reads;
    for (let i = 2999; i >= 0; i--) records.getSync(name(i));
    // Each takes its bytes, 11 for its name, and 256 more.
    const bytes = (3000 - (db.reads - before)) * (4096 + 11 + 256);
    assert.ok(bytes > 4_000_000 && bytes <= 8 << 20, `${bytes} bytes are kept`);
  });

  it('are never older than an answered write, under random writes, deletions, conditions and failures', async t => {
    const random = seededRandom();
    t.diagnostic(`SRV_TEST_SEED=${random.seed}`);
    const db = new SlowDatabase(random);
    const records = new RecentRecords(db);
    const commits = new GroupCommit(records, true);
    const names = ['a', 'b', 'c', 'd'];
    /** The least version that a read may return. */
    const least = new Map<string, number>();
    /** Versions that are deletions, in order, as far as they were begun. */
    const deletions = new Map(names.map(name => [name, [0]]));
    /** @returns of what is not there: the first deletion that it may be. */
    const versionOf = (name: string, value: Buffer | undefined): number =>
      value ? Number(value.toString()) : (deletions.get(name)?.find(deletion => deletion >= (least.get(name) ?? 0)) ?? -1);
    const seen = { kept: 0, failed: 0, refused: 0 };
    let isOver = false;
    const writer = async (name: string): Promise<void> => {
      for (let version = 1; version <= 300; version++) {
        if (random.below(20) === 0) db.failures++;
        const current = records.getSync(key(name));
        const condition = random.below(2) === 0 && current ? { kvPredicate: current } : undefined;
        const isDeletion = random.below(4) === 0;
        if (isDeletion) deletions.get(name)?.push(version);
        try {
          if (await commits.write({ key: key(name), value: isDeletion ? undefined : key(String(version)), condition }))
            least.set(name, version);
          else seen.refused++;
        } catch {
          // As after an error of the disk: the database is opened again, and shows whether the write has happened.
          seen.failed++;
          records.clear();
        }
      }
    };
    const reader = async (): Promise<void> => {
      while (!isOver) {
        const name = random.choose(names);
        const [before, version] = [db.reads, versionOf(name, records.getSync(key(name)))];
        if (db.reads === before) seen.kept++;
        assert.ok(version >= (least.get(name) ?? 0), `seed ${random.seed}: ${name} is ${version}, ${least.get(name)} was answered`);
        assert.ok(
          version <= versionOf(name, db.records.get(name)),
          `seed ${random.seed}: ${name} is ${version}, which is not in the database`,
        );
        // Others see as much from now on.
        least.set(name, Math.max(version, least.get(name) ?? 0));
        await nextTurn();
      }
    };
    const reading = Array.from({ length: 4 }, reader);
    await Promise.all(names.map(writer));
    isOver = true;
    await Promise.all(reading);
    assert.ok(seen.kept > 0 && seen.failed > 0 && seen.refused === 0, JSON.stringify(seen));
  });
});
