import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { recordOf } from './memory-tables.js';
import { writeAll } from './table-writing.js';

const missing = spawnSync('sst_dump', ['--help']).error !== undefined;

describe('RocksDB accepts our tables', { skip: missing ? 'needs sst_dump (rocksdb-tools)' : false }, () => {
  for (const [name, count, pad] of [
    ['empty', 0, 0],
    ['one block', 20, 10],
    ['many blocks', 2000, 40],
    ['two index levels', 5000, 150],
  ] as const) {
    it(name, () => {
      const folder = mkdtempSync(join(tmpdir(), 'sst-'));
      const records = Array.from({ length: count }, (_, i): [Buffer, Buffer] => [
        Buffer.from(`dir/${String(i).padStart(6, '0')}`),
        recordOf(`identity ${i}`, 'y'.repeat(pad + (i % 9))),
      ]);
      const file = join(folder, 'table.sst');
      writeFileSync(file, writeAll(records, { type: 'ranges' }).bytes);
      try {
        const { stdout, stderr, status } = spawnSync('sst_dump', [`--file=${file}`, '--command=check', '--verify_checksum'], {
          encoding: 'utf8',
        });
        assert.equal(status, 0, stderr);
        assert.doesNotMatch(stdout + stderr, /corrupt|not a valid|mismatch/i);
        const scan = spawnSync('sst_dump', [`--file=${file}`, '--command=scan', '--output_hex'], { encoding: 'utf8', maxBuffer: 64 << 20 });
        assert.equal((scan.stdout.match(/ => /g) ?? []).length, count);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
});
