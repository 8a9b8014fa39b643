import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { runCount } from '@srv/kernel/testing';
import fc from 'fast-check';
import { compare, diff, merge, replace } from '../../src/tables/algorithms/index.js';
import { fnv1a64Mod, sameIdentity } from '../../src/tables/format/index.js';
import { MemoryTables, recordOf, sorted } from './memory-tables.js';
import type { Change, Strategy } from '../../src/tables/algorithms/index.js';
import type { Model } from './memory-tables.js';

/** Ragged enough that a handful of records spans several ranges. */
const rules = { minSize: 0, maxSize: 20_971_520, raggedness: 4 };

const key = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 3 }).map(b => Buffer.from(b)),
  fc.nat({ max: 60 }).map(n => Buffer.from(`dir/${n % 5}/file-${n}`)),
  fc.nat({ max: 6 }).map(n => Buffer.alloc(n + 1, 0xff)),
  fc.constantFrom('ü/Ж', 'a\u{1F600}b', 'a\uE000b', 'x'.repeat(1024)).map(text => Buffer.from(text)),
);
const identity = fc.constantFrom('A', 'B', 'C', 'D');
const model: fc.Arbitrary<Model> = fc
  .array(fc.tuple(key, identity), { maxLength: 60 })
  .map(entries => new Map(entries.map(([k, i]) => [k.toString('hex'), recordOf(i, `${i}-data`)])));
/** Some records of the same identity have other data. */
const rewritten: fc.Arbitrary<Model> = fc
  .array(fc.tuple(key, identity, fc.constantFrom('data', 'again')), { maxLength: 60 })
  .map(entries => new Map(entries.map(([k, i, data]) => [k.toString('hex'), recordOf(i, `${i}-${data}`)])));
const changes = fc.array(fc.tuple(key, fc.option(identity, { nil: undefined, freq: 3 })), { maxLength: 40 }).map(entries => {
  const last = new Map(entries.map(([k, i]) => [k.toString('hex'), i]));
  return [...last]
    .map(([hex, i]): Change => ({ key: Buffer.from(hex, 'hex'), value: i === undefined ? undefined : recordOf(i, `${i}-new`) }))
    .sort((a, b) => Buffer.compare(a.key, b.key));
});

async function withTables(check: (tables: MemoryTables) => Promise<void>): Promise<void> {
  const tables = new MemoryTables(rules);
  try {
    await check(tables);
  } finally {
    tables.dispose();
  }
}

function edited(base: Model, edits: readonly Change[]): Model {
  const result = new Map(base);
  for (const { key, value } of edits) {
    const hex = key.toString('hex');
    const old = result.get(hex);
    if (value === undefined) result.delete(hex);
    else if (old === undefined || !sameIdentity(old, value)) result.set(hex, value);
  }
  return result;
}

const same = (a: Buffer | undefined, b: Buffer | undefined): boolean => (a === undefined || b === undefined ? a === b : sameIdentity(a, b));

/** What a merge should give; `undefined` for a conflict. */
function mergedModel(destination: Model, source: Model, base: Model, strategy: Strategy): Model | undefined {
  const result: Model = new Map();
  for (const hex of new Set([...destination.keys(), ...source.keys()])) {
    const [d, s, b] = [destination.get(hex), source.get(hex), base.get(hex)];
    let taken: Buffer | undefined;
    if (same(d, s)) taken = s;
    else if (same(b, s)) taken = d;
    else if (same(b, d)) taken = s;
    else if (strategy === 'none') return undefined;
    else taken = strategy === 'dest-wins' ? d : s;
    if (taken !== undefined) result.set(hex, taken);
  }
  return result;
}

const plain = (m: Model): [string, string][] => sorted(m).map(([k, v]) => [k.toString('hex'), v.toString('hex')]);

async function collect<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}

describe('algorithms against a model', () => {
  it('apply', () =>
    fc.assert(
      fc.asyncProperty(model, changes, (base, edits) =>
        withTables(async tables => {
          const id = await tables.build(base);
          const { id: applied, result } = await tables.apply(id, edits);
          const expected = edited(base, edits);
          assert.deepEqual(plain(await tables.contents(applied)), plain(expected));
          const [added, removed] = [[...expected.keys()].filter(k => !base.has(k)), [...base.keys()].filter(k => !expected.has(k))];
          assert.deepEqual(result, {
            added: added.length,
            removed: removed.length,
            changed: [...expected].filter(([k, v]) => base.has(k) && !same(base.get(k), v)).length,
          });
        }),
      ),
      { numRuns: runCount(38, 75) },
    ));

  it('content that is written at once has the id it has when built by many commits into fresh ranges', () =>
    fc.assert(
      fc.asyncProperty(model, changes, (base, edits) =>
        withTables(async tables => {
          const once = await tables.build(edited(base, edits));
          const records = sorted(edited(base, edits)).map(([k, value]) => ({ key: k, value }));
          const touched = await tables.apply(once, records);
          assert.equal(touched.id, once);
          assert.deepEqual(touched.result, { added: 0, changed: 0, removed: 0 });
        }),
      ),
      { numRuns: runCount(20, 40) },
    ));

  it('apply opens only the ranges that changes fall into', () =>
    withTables(async tables => {
      const base: Model = new Map(
        Array.from({ length: 400 }, (_, i) => [Buffer.from(`key-${String(i).padStart(4, '0')}`).toString('hex'), recordOf('A')]),
      );
      const id = await tables.build(base);
      tables.opened = [];
      await tables.apply(id, [{ key: Buffer.from('key-0200'), value: recordOf('B') }]);
      assert.equal(tables.opened.length, 1);
    }));

  it('taking blocks over gives the very files that writing every record gives', () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 }), async seed => {
        const tables = new MemoryTables(largeRanges);
        const random = randomFrom(seed);
        const base = largeModel(random);
        const changes = largeEdits(random, 30);
        try {
          const applied = (await tables.apply(await tables.build(base), changes)).id;
          assert.equal(applied, await tables.build(edited(base, changes)));
        } finally {
          tables.dispose();
        }
      }),
      { numRuns: runCount(6, 12) },
    ));

  it('a merge takes over the blocks both sides have, and gives the very files that writing every record gives', async () => {
    let blocks = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 }), async seed => {
        const tables = new MemoryTables(largeRanges);
        const random = randomFrom(seed);
        const base = largeModel(random);
        const [forDestination, forSource] = [largeEdits(random, 4), largeEdits(random, 4)];
        try {
          const baseId = await tables.build(base);
          const [d, s] = [(await tables.apply(baseId, forDestination)).id, (await tables.apply(baseId, forSource)).id];
          const expected = mergedModel(edited(base, forDestination), edited(base, forSource), base, 'source-wins') ?? new Map();
          const counted = async function* (): ReturnType<typeof merge> {
            for await (const batch of merge(tables.cursor(d), tables.cursor(s), tables.baseView(baseId), 'source-wins')) {
              blocks += batch.filter(output => 'block' in output).length;
              yield batch;
            }
          };
          const { id } = await tables.write(counted());
          assert.deepEqual(plain(await tables.contents(id)), plain(expected));
          assert.equal(id, await tables.build(expected));
        } finally {
          tables.dispose();
        }
      }),
      { numRuns: runCount(3, 5) },
    );
    assert.ok(blocks > 0, 'no block was taken over');
  });

  it('two-way diff', () =>
    fc.assert(
      fc.asyncProperty(model, changes, (left, edits) =>
        withTables(async tables => {
          const right = edited(left, edits);
          const leftId = await tables.build(left);
          const rightId = (await tables.apply(leftId, edits)).id;
          const found = await collect(diff(tables.cursor(leftId), tables.cursor(rightId)));
          const expected = sorted(new Map([...left, ...right]))
            .map(([k]) => k.toString('hex'))
            .filter(k => !same(left.get(k), right.get(k)))
            .map(k => [
              left.has(k) ? (right.has(k) ? 'changed' : 'removed') : 'added',
              k,
              left.get(k)?.toString('hex'),
              right.get(k)?.toString('hex'),
            ]);
          assert.deepEqual(
            found.map(d => [d.type, d.key.toString('hex'), d.left?.toString('hex'), d.right?.toString('hex')]),
            expected,
          );
        }),
      ),
      { numRuns: runCount(50, 100) },
    ));

  it('two-way diff of unrelated contents', () =>
    fc.assert(
      fc.asyncProperty(model, rewritten, (left, right) =>
        withTables(async tables => {
          const [leftId, rightId] = [await tables.build(left), await tables.build(right)];
          const keys = sorted(new Map([...left, ...right])).map(([k]) => k.toString('hex'));
          const found = async (exact: boolean): Promise<string[]> =>
            (await collect(diff(tables.cursor(leftId), tables.cursor(rightId), exact))).map(({ key }) => key.toString('hex'));
          assert.deepEqual(
            await found(false),
            keys.filter(k => !same(left.get(k), right.get(k))),
          );
          assert.deepEqual(
            await found(true),
            keys.filter(k => left.get(k)?.toString('hex') !== right.get(k)?.toString('hex')),
            'with data that differs',
          );
        }),
      ),
      { numRuns: runCount(25, 50) },
    ));

  const threeWay = fc.tuple(model, changes, changes);

  it('three-way diff says what a merge would do', () =>
    fc.assert(
      fc.asyncProperty(threeWay, ([base, forDestination, forSource]) =>
        withTables(async tables => {
          const baseId = await tables.build(base);
          const [d, s] = [(await tables.apply(baseId, forDestination)).id, (await tables.apply(baseId, forSource)).id];
          const [destination, source] = [edited(base, forDestination), edited(base, forSource)];
          const found = await collect(compare(diff(tables.cursor(d), tables.cursor(s)), tables.baseView(baseId)));
          const expected = sorted(new Map([...destination, ...source])).flatMap(([k]) => {
            const hex = k.toString('hex');
            const [dv, sv, bv] = [destination.get(hex), source.get(hex), base.get(hex)];
            if (same(dv, sv) || same(bv, sv)) return [];
            return [[same(bv, dv) ? (dv === undefined ? 'added' : sv === undefined ? 'removed' : 'changed') : 'conflict', hex]];
          });
          assert.deepEqual(
            found.map(c => [c.type, c.key.toString('hex')]),
            expected,
          );
        }),
      ),
      { numRuns: runCount(50, 100) },
    ));

  for (const strategy of ['none', 'dest-wins', 'source-wins'] as const) {
    it(`merge with strategy ${strategy}`, () =>
      fc.assert(
        fc.asyncProperty(threeWay, ([base, forDestination, forSource]) =>
          withTables(async tables => {
            const baseId = await tables.build(base);
            const [d, s] = [(await tables.apply(baseId, forDestination)).id, (await tables.apply(baseId, forSource)).id];
            const expected = mergedModel(edited(base, forDestination), edited(base, forSource), base, strategy);
            const merging = tables.write(merge(tables.cursor(d), tables.cursor(s), tables.baseView(baseId), strategy));
            if (expected === undefined)
              await assert.rejects(merging, error => isSrvError(error, 'conflict') && error.message === 'conflict found');
            else assert.deepEqual(identities(await tables.contents((await merging).id)), identities(expected));
          }),
        ),
        { numRuns: runCount(50, 100) },
      ));
  }

  it('a new record whose content equals the next base record survives a merge', () =>
    withTables(async tables => {
      const base: Model = new Map([
        [hexOf('x0'), recordOf('A')],
        [hexOf('x2'), recordOf('C')],
      ]);
      const [baseId, d] = [await tables.build(base), await tables.build(new Map())];
      const s = await tables.build(
        new Map([
          [hexOf('x0'), recordOf('A')],
          [hexOf('x1'), recordOf('C')],
        ]),
      );
      const { id } = await tables.write(merge(tables.cursor(d), tables.cursor(s), tables.baseView(baseId), 'none'));
      assert.deepEqual([...(await tables.contents(id)).keys()], [hexOf('x1')]);
    }));

  it('both sides adding a key differently is a conflict although the next base record equals one of them', () =>
    withTables(async tables => {
      const baseId = await tables.build(new Map([[hexOf('x2'), recordOf('C')]]));
      const d = await tables.build(
        new Map([
          [hexOf('x1'), recordOf('C')],
          [hexOf('x2'), recordOf('C')],
        ]),
      );
      const s = await tables.build(
        new Map([
          [hexOf('x1'), recordOf('E')],
          [hexOf('x2'), recordOf('C')],
        ]),
      );
      await assert.rejects(tables.write(merge(tables.cursor(d), tables.cursor(s), tables.baseView(baseId), 'none')), /conflict found/);
    }));

  it('replace removes prefixes and keys, and puts records in', () =>
    fc.assert(
      fc.asyncProperty(
        model,
        model,
        fc.array(
          key.map(k => k.subarray(0, 4)),
          { maxLength: 3 },
        ),
        fc.array(key, { maxLength: 3 }),
        (base, added, prefixes, keys) =>
          withTables(async tables => {
            const [baseId, addedId] = [await tables.build(base), await tables.build(added)];
            const { id } = await tables.write(replace(tables.cursor(baseId), tables.cursor(addedId), { prefixes, keys }));
            const kept = [...base].filter(
              ([hex]) => !prefixes.some(p => hex.startsWith(p.toString('hex'))) && !keys.some(k => k.toString('hex') === hex),
            );
            assert.deepEqual(plain(await tables.contents(id)), plain(new Map([...kept, ...added])));
          }),
      ),
      { numRuns: runCount(38, 75) },
    ));
});

/** Ranges of many blocks. */
const largeRanges = { minSize: 0, maxSize: 20_971_520, raggedness: 1500 };

function largeModel(random: () => number): Model {
  return new Map(Array.from({ length: 4000 }, (_, i) => [pathOf(i * 3).toString('hex'), longValue(random(), i)]));
}

/** Changes all over it, in order. Records that end a range stay: without them the ranges around would not be what they are when written at once. */
function largeEdits(random: () => number, count: number): Change[] {
  const edits = new Map<string, Change>();
  for (let i = 0; i < count; i++) {
    const key = pathOf(Math.floor(random() * 12_000));
    const isBreak = fnv1a64Mod(key, largeRanges.raggedness) === 0;
    edits.set(key.toString('hex'), { key, value: random() < 0.3 && !isBreak ? undefined : longValue(random(), i) });
  }
  return [...edits.values()].sort((a, b) => Buffer.compare(a.key, b.key));
}

function hexOf(text: string): string {
  return Buffer.from(text).toString('hex');
}

/** Only keys and identities: which side's data is kept for equal identities is the algorithm's choice. */
function identities(m: Model): [string, string][] {
  return sorted(m).map(([k, v]) => [k.toString('hex'), v.subarray(1, 2).toString()]);
}

function pathOf(i: number): Buffer {
  return Buffer.from(`data/part-${String(i % 7)}/${String(i).padStart(6, '0')}.parquet`);
}

/** Values of uneven sizes, hard to compress. */
function longValue(random: number, i: number): Buffer {
  return recordOf(`id-${random}-${i}`, `${random}`.repeat(1 + Math.floor(random * 8)));
}

/** A small generator, so that a failing case can be run again. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
