/** Benchmarks that run, with little to measure. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import cli from '../bench/cli.js';

test('--also measures by another Node as well', () => {
  const program = join(import.meta.dirname, '..', 'bench.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'committed', '--smoke', '--also', process.execPath], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  assert.ok(stdout.includes(`| what | value | with Node ${process.version} | unit |`), stdout);
  const values = [...stdout.matchAll(/^\| [^|]+ \| ([\d.,]+) \| ([\d.,]+) \|/gm)];
  assert.ok(values.length > 3, stdout);
});

const hasCurl = spawnSync('curl', ['--version']).status === 0;

test('the benchmark of cli runs: trees, a large file next to curl, its start, a batch', async () => {
  const rows = await cli.run({ smoke: true });
  assert.deepEqual(
    rows.map(({ what, unit, ratio }) => [what, unit, ratio !== undefined && ratio.value > 0]),
    [
      ['upload 10 files', 'files/s', true],
      ['download 10 files', 'files/s', true],
      ['upload 40 MiB', 'MiB/s', true],
      ['upload 40 MiB, peak memory', 'MiB', false],
      ['download 40 MiB', 'MiB/s', true],
      ['download 40 MiB, peak memory', 'MiB', false],
      ...(hasCurl ? ['', ' with --no-verify'].map(how => [`download 40 MiB${how}, in turns with curl`, 'MiB/s', true]) : []),
      ['cli --help', 'ms', true],
      ['cli fs stat', 'ms', true],
      ['cli pr list', 'ms', true],
      ['20 commands by cli run', 'ms', true],
      ['20 lines by cli run, processor and waiting time each', 'ms', true],
    ],
  );
  assert.ok(rows.every(({ value }) => value > 0));
  // The thread that hashes a large download reports no peak of its own.
  assert.ok(rows.filter(({ what }) => what.endsWith('peak memory')).every(({ value }) => value < 10_000));
});
