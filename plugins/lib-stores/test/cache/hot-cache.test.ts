import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '@srv/kernel/testing';
import { HotCache } from '../../src/cache/hot-cache.js';

const names = Array.from({ length: 100_000 }, (_, i) => `data/gp0djh8q9tsk8cnbc3m0/${i.toString(32)}`);

/** As a reader who does not find it. */
function offer<T>(cache: HotCache<T>, name: string, value: T, bytes: number): void {
  if (cache.admits(name)) cache.set(name, value, bytes);
}

describe('a cache of what is read again and again', () => {
  it('keeps what is read for a second time', () => {
    const cache = new HotCache<number>({ maxBytes: 1000, reads: 1 << 10 });
    offer(cache, 'a', 1, 1);
    assert.equal(cache.get('a'), undefined);
    offer(cache, 'b', 2, 1);
    offer(cache, 'a', 1, 1);
    assert.deepEqual([cache.get('a'), cache.get('b')], [1, undefined]);
  });

  it('keeps all of a few names, and next to none of many that are read in turn', () => {
    const found = (count: number): number => {
      const cache = new HotCache<number>({ maxBytes: 1 << 20, reads: 1 << 12 });
      const some = names.slice(0, count);
      let hits = 0;
      for (let round = 0; round < 4; round++)
        for (const [i, name] of some.entries()) {
          const value = cache.get(name);
          if (value === undefined) offer(cache, name, i, 1);
          else if (round === 3) hits += value === i ? 1 : Number.NaN;
        }
      return hits / count;
    };
    assert.ok(found(100) > 0.95, 'of a few names');
    assert.ok(found(100_000) < 0.05, 'of many');
  });

  it('stays within its bytes, keeps what is in use, and never has another value', () => {
    const random = seededRandom();
    const cache = new HotCache<string>({ maxBytes: 1000, reads: 1 << 10 });
    const model = new Map<string, { readonly value: string; readonly bytes: number }>();
    /** It was kept, and nothing has happened for which it may be gone. */
    let isHot = false;
    for (let step = 0; step < 20_000; step++) {
      const name = `n${random.below(100)}`;
      const choice = random.below(20);
      if (choice === 0) {
        cache.delete(name);
        model.delete(name);
      } else if (choice === 1 && random.below(50) === 0) {
        cache.clear();
        model.clear();
        isHot = false;
      } else {
        const found = cache.get(name);
        if (found === undefined) {
          const value = { value: `${name} at ${step}`, bytes: 1 + random.below(40) };
          offer(cache, name, value.value, value.bytes);
          if (cache.get(name) !== undefined) model.set(name, value);
        } else assert.equal(found, model.get(name)?.value, `seed ${random.seed}, step ${step}`);
      }
      // In use all the time.
      if (cache.get('hot') !== undefined) isHot = true;
      else {
        assert.ok(!isHot, `seed ${random.seed}, step ${step}`);
        offer(cache, 'hot', 'hot', 10);
      }
      if (step % 100 === 0) {
        isHot = false;
        const kept = [...model].filter(([key]) => cache.get(key) !== undefined).reduce((sum, [, { bytes }]) => sum + bytes, 0);
        assert.ok(kept <= 1000, `seed ${random.seed}, step ${step}: ${kept} bytes`);
      }
    }
  });

  it('does not keep what would take more than half of its bytes', () => {
    const cache = new HotCache<number>({ maxBytes: 100, reads: 1 << 4 });
    for (let i = 0; i < 3; i++) offer(cache, 'a', 1, 51);
    assert.equal(cache.get('a'), undefined);
  });
});
