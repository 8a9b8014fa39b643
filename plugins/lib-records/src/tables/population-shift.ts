/** How far the values of a column have shifted, as one number: the population stability index, PSI. */
import type { ColumnSummary } from './column-summary.js';

/** Bars that are compared: many more of them would show chance rather than a shift. */
const mostBars = 16;

type Pair = readonly [before: number, after: number];

/**
 * Sum of `(p - q) * ln(p / q)` over bars of numbers or the frequent values, all other values together, and nulls; half a row is
 * added to each, so that what is missing on one side counts finitely. Below 0.1 is commonly called stable, above 0.25 a large shift.
 * @returns `undefined` where neither numbers nor frequent values can be compared.
 */
export function populationShift(before: ColumnSummary, after: ColumnSummary): number | undefined {
  if (before.rows === 0 || after.rows === 0) return undefined;
  const values = barPairs(before, after) ?? valuePairs(before, after);
  if (!values) return undefined;
  const counted = sums(values);
  const rest: Pair = [before.rows - before.nulls - counted[0], after.rows - after.nulls - counted[1]];
  const all: readonly Pair[] = [...values, rest, [before.nulls, after.nulls]];
  const bins = all.filter(([old, now]) => old + now > 0);
  const totals = sums(bins);
  const share = (count: number, total: number): number => (count + 0.5) / (total + 0.5 * bins.length);
  return bins.reduce((sum, [old, now]) => {
    const [p, q] = [share(old, totals[0]), share(now, totals[1])];
    return sum + (p - q) * Math.log(p / q);
  }, 0);
}

const sums = (pairs: readonly Pair[]): Pair => pairs.reduce<Pair>(([old, now], pair) => [old + pair[0], now + pair[1]], [0, 0]);

/** Bars of both in the same places. Their widths are powers of two, so the wider ones are made of whole narrower ones. */
function barPairs({ bars: old }: ColumnSummary, { bars: now }: ColumnSummary): readonly Pair[] | undefined {
  if (!old || !now) return undefined;
  let width = Math.max(old.width, now.width);
  const span = (): readonly [first: number, last: number] => [
    Math.floor(Math.min(old.from, now.from) / width),
    Math.floor(Math.max(old.from + old.width * (old.counts.length - 1), now.from + now.width * (now.counts.length - 1)) / width),
  ];
  while (span()[1] - span()[0] >= mostBars) width *= 2;
  const [first, last] = span();
  const pairs = Array.from({ length: last - first + 1 }, (): [number, number] => [0, 0]);
  for (const [side, bars] of [old, now].entries())
    for (const [i, count] of bars.counts.entries()) {
      const pair = pairs[Math.floor((bars.from + bars.width * i) / width) - first];
      if (pair) pair[side === 0 ? 0 : 1] += count;
    }
  return pairs;
}

/** Frequent values whose counts are known on both sides. */
function valuePairs(before: ColumnSummary, after: ColumnSummary): readonly Pair[] | undefined {
  const [old, now] = [before, after].map(({ top }) => new Map(top.map(({ value, count }) => [value, count])));
  if (!old || !now || old.size === 0 || now.size === 0) return undefined;
  const isWhole = ({ distinct, isExact }: ColumnSummary, known: ReadonlyMap<unknown, number>): boolean =>
    isExact && distinct === known.size;
  const countIn = (summary: ColumnSummary, known: ReadonlyMap<unknown, number>, value: unknown): number | undefined =>
    known.get(value) ?? (isWhole(summary, known) ? 0 : undefined);
  return [...new Set([...old.keys(), ...now.keys()])].flatMap(value => {
    const [left, right] = [countIn(before, old, value), countIn(after, now, value)];
    return left === undefined || right === undefined ? [] : [[left, right] as const];
  });
}
