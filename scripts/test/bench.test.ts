import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median, middle, rate } from '../bench/benchmark.js';
import { benchmarks } from '../bench/index.js';
import { markdown } from '../bench/table.js';
import { comparison } from '../bench/versus/comparison.js';

test('the middle of an odd and of an even number of values', () => {
  assert.equal(middle([9, 1, 5]), 5);
  assert.equal(middle([4, 1, 3, 2]), 2);
  assert.throws(() => middle([]), RangeError);
});

test('work is repeated and timed', async () => {
  let runs = 0;
  const time = await median(3, () => runs++);
  assert.equal(runs, 3);
  assert.ok(time >= 0);
  assert.equal(rate(500, 250), 2000);
});

test('results become a table with three digits that count', () => {
  const benchmark = { name: 'n', description: 'What it is', run: async () => [] };
  const table = markdown(benchmark, [
    { what: 'a', value: 1234567, unit: 'objects/s' },
    { what: 'b', value: 0.012345, unit: 'ms', ratio: { to: 'c', value: 1.2345 } },
  ]);
  assert.equal(
    table,
    '### n\n\nWhat it is.\n\n| what | value | unit | in comparison |\n| --- | ---: | --- | --- |\n| a | 1,234,567 | objects/s |  |\n| b | 0.012 | ms | 1.23 times c |\n',
  );
});

test('figures of another Node.js have their own column', () => {
  const rows = [
    { what: 'a', value: 1, unit: 'ms' },
    { what: 'b', value: 2, unit: 'ms' },
  ];
  assert.equal(
    markdown({ name: 'n', description: 'What it is' }, rows, { node: 'v99.0.0', rows: [{ what: 'b', value: 3, unit: 'ms' }] }),
    '### n\n\nWhat it is.\n\n| what | value | with Node v99.0.0 | unit | in comparison |\n| --- | ---: | ---: | --- | --- |\n| a | 1 |  | ms |  |\n| b | 2 | 3 | ms |  |\n',
  );
});

test('every benchmark has a name of its own', () => {
  assert.equal(new Set(benchmarks.map(({ name }) => name)).size, benchmarks.length);
});

test('a comparison has the range in which its middle lies, by processes', () => {
  const theirs = Array.from({ length: 24 }, () => 100);
  const ours = theirs.map((value, i) => value + Math.floor(i / 2));
  // Twelve processes, of which the lowest two and the highest two lie outside.
  assert.deepEqual(comparison({ unit: 'requests/s', roundsPerProcess: 2 }, ours, theirs), { value: 1.05, low: 1.02, high: 1.09 });
  assert.deepEqual(comparison({ unit: 'ms' }, [50, 100, 25], [100, 100, 100]), { value: 2, low: 1, high: 4 });
  assert.deepEqual(comparison({ unit: 'MiB' }, [50], [100]), { value: 2, low: 2, high: 2 });
});
