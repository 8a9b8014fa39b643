/** `parallel`, and scripts that keep going. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shell } from './shell.js';
import type { Command } from '@srv/lib-commands';

const flaky: Command = {
  name: 'flaky',
  summary: 'x',
  arguments: [{ name: 'n', description: 'a number', required: true }],
  run: (_context, { args: [n = ''] }) => {
    if (Number(n) % 100 === 7) throw Object.assign(new Error(`number ${n} is refused`), { status: Number(n) % 200 === 7 ? 404 : 409 });
    return n;
  },
  render: () => '',
};

test('parallel tries again, and sums up what failed for good', async () => {
  const { run, out, told } = shell({});
  const script = [
    'const tries = {}',
    'const work = n => {',
    '  tries[n] = (tries[n] ?? 0) + 1',
    "  if (n === 3 && tries[n] < 3) throw new Error('not yet')",
    "  if (n > 4) throw new Error('never ' + n)",
    '  return n * 10',
    '}',
    'console.log((await parallel([1, 2, 3], work, { limit: 2, retries: 2 })).join())',
    'try {',
    '  await parallel([1, 5, 2, 6, 4], work, { limit: 1, keepGoing: true })',
    '} catch (error) {',
    "  console.log(error.failures.map(({ index, item }) => index + ':' + item).join(), error.results.filter(Boolean).join())",
    '}',
    'await parallel([7], work, { retries: 2 }).catch(() => console.log(tries[7]))',
    'await parallel([5, 1], work, { limit: 1 })',
  ];
  assert.equal(await run(script.join('\n')), 1);
  assert.equal(out(), '10,20,30\n1:5,3:6 10,20,40\n3\n');
  assert.match(told.join('\n'), /^1 of 1 items failed:\n {2}1 5: never 5$/m);
});

test('a script that keeps going ends with a table of what failed', async () => {
  const { run, told } = shell({}, { added: [flaky] });
  const lines = Array.from({ length: 1000 }, (_, i) => (i % 3 === 0 ? `await run('flaky ${i}')` : `flaky ${i}`));
  assert.equal(await run(lines.join('\n'), { keepGoing: true }), 3);
  const table = told.at(-1)?.split('\n') ?? [];
  assert.equal(table.length, 12);
  assert.equal(table[0], '10 of 1000 statements failed:');
  assert.match(table[1] ?? '', /^At +Exit code +Statement +Reason$/);
  assert.match(table[2] ?? '', /^8:1 +3 +flaky 7 +number 7 is refused$/);
  assert.match(table[4] ?? '', /^208:7 +3 +await run\('flaky 207'\) +number 207 is refused$/);
});

test('with keep-going, parallel does all items', async () => {
  const { run, told } = shell({}, { added: [flaky] });
  assert.equal(await run('await parallel([7, 8, 107], n => run`flaky ${n}`)', { keepGoing: true }), 3);
  assert.match(told.join('\n'), /2 of 3 items failed:\n {2}1 7: number 7 is refused\n {2}3 107: number 107 is refused/);
});
