import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AdmissionFilter } from '../../src/cache/admission-filter.js';

describe('an admission filter', () => {
  const names = Array.from({ length: 100_000 }, (_, i) => `data/gp0djh8q9tsk8cnbc3m0/${i.toString(32)}`);

  it('admits what is asked for a second time', () => {
    const filter = new AdmissionFilter(1 << 10);
    assert.deepEqual(
      ['a', 'b', 'a', 'b', 'c'].map(name => filter.admits(name)),
      [false, false, true, true, false],
    );
  });

  it('admits all of a few names, and next to none of many that are asked for in turn', () => {
    const admitted = (count: number): number => {
      const filter = new AdmissionFilter(1 << 12);
      const some = names.slice(0, count);
      for (const name of some) filter.admits(name);
      return some.filter(name => filter.admits(name)).length / count;
    };
    assert.ok(admitted(100) > 0.95, 'of a few names');
    assert.ok(admitted(100_000) < 0.01, 'of many');
  });
});
