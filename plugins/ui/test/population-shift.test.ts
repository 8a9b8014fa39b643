/** The index of how far a column has shifted, compared with one that is computed from all values. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '@srv/kernel/testing';
import { ColumnCounter } from '@srv/lib-records/tables/column-summary';
import { populationShift } from '@srv/lib-records/tables/population-shift';
import type { ColumnSummary } from '@srv/lib-records/tables/column-summary';

type Value = number | string | null;

function summaryOf(values: readonly Value[]): ColumnSummary {
  const counter = new ColumnCounter({
    name: 'x',
    isNumeric: values.some(value => typeof value === 'number'),
    text: value => (value === null ? null : String(value)),
    order: value => value as Value,
    ...(values.some(value => typeof value === 'number') ? { label: String } : {}),
  });
  counter.add(values, values.length);
  return counter.summary;
}

/** By its definition. @param binOf the bin of a value. */
function naive(before: readonly Value[], after: readonly Value[], binOf: (value: Value) => string): number {
  const bins = [...new Set([...before, ...after].map(binOf))];
  const share = (values: readonly Value[], bin: string): number =>
    (values.filter(value => binOf(value) === bin).length + 0.5) / (values.length + 0.5 * bins.length);
  return bins.reduce((sum, bin) => sum + (share(before, bin) - share(after, bin)) * Math.log(share(before, bin) / share(after, bin)), 0);
}

const near = (found: number | undefined, expected: number): void =>
  assert.ok(found !== undefined && Math.abs(found - expected) < 1e-9, `${found} is not ${expected}`);

describe('the population stability index', () => {
  it('of numbers is that of bars of equal width, whatever bars the sides had', () => {
    const random = seededRandom();
    for (let run = 0; run < 30; run++) {
      const [scale, offset] = [1 + random.below(1000), random.below(500) - 250];
      const draw = (count: number, shift: number): Value[] =>
        Array.from({ length: count }, () => (random.below(10) === 0 ? null : random.below(scale) + offset + shift));
      const [before, after] = [draw(300, 0), draw(200, random.below(scale))];
      const numbers = [...before, ...after].filter(value => value !== null) as number[];
      // The narrowest power of two by which at most 16 bars cover both, but no bar of a side is cut.
      const [old, now] = [summaryOf(before), summaryOf(after)];
      if (!old.bars || !now.bars) continue;
      let width = Math.max(old.bars.width, now.bars.width);
      const span = (): number => Math.floor(Math.max(...numbers) / width) - Math.floor(Math.min(...numbers) / width) + 1;
      while (span() > 16) width *= 2;
      near(
        populationShift(old, now),
        naive(before, after, value => (value === null ? 'null' : String(Math.floor(Number(value) / width)))),
      );
    }
  });

  it('of texts is that of the frequent values, all others as one', () => {
    const some = (counts: Readonly<Record<string, number>>): Value[] =>
      Object.entries(counts).flatMap(([value, count]) => Array.from({ length: count }, () => (value === 'null' ? null : value)));
    const [before, after] = [some({ a: 50, b: 30, null: 20 }), some({ a: 10, b: 30, c: 40, null: 5 })];
    near(populationShift(summaryOf(before), summaryOf(after)), naive(before, after, String));
    const many = (first: number) => some({ a: first, ...Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`v${i}`, 2])) });
    const shifted = populationShift(summaryOf(many(100)), summaryOf(many(900))) ?? 0;
    assert.ok(shifted > 0.25, String(shifted));
  });

  it('is nothing for the same values, and unknown where none can be compared', () => {
    const same = summaryOf([1, 2, 2, 3, null]);
    near(populationShift(same, same), 0);
    const names = summaryOf(Array.from({ length: 30 }, (_, i) => `name ${i}`));
    assert.equal(populationShift(names, names), undefined);
    assert.equal(populationShift(summaryOf([]), same), undefined);
  });
});
