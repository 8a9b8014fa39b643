/** What is appended to the journal is on the disk before the call returns. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { appendRecords } from '../src/server/journal/journal-append.js';

const calls: string[] = [];
const { writeSync, fdatasyncSync, fsyncSync, closeSync } = fs;
Object.assign(fs, {
  writeSync: (...args: Parameters<typeof writeSync>) => {
    calls.push('write');
    return writeSync(...args);
  },
  fdatasyncSync: (file: number) => {
    calls.push('sync');
    fdatasyncSync(file);
  },
  fsyncSync: (file: number) => {
    calls.push('sync folder');
    fsyncSync(file);
  },
  closeSync: (file: number) => {
    calls.push('close');
    closeSync(file);
  },
});
syncBuiltinESMExports();
after(() => {
  Object.assign(fs, { writeSync, fdatasyncSync, fsyncSync, closeSync });
  syncBuiltinESMExports();
});

test('records are synced after they are written, and a new segment with its folder', () => {
  const path = join(scratchFolder(), 'segment');
  const record = { kind: 'put', name: 'a/b', mtimeNs: 0n, content: Buffer.from('content') } as const;
  const size = appendRecords({ path, size: 0, bootId: 'boot' }, [record]);
  assert.deepEqual(calls, ['write', 'sync', 'close', 'sync folder', 'close']);
  calls.length = 0;
  appendRecords({ path, size, bootId: 'boot' }, [record]);
  assert.deepEqual(calls, ['write', 'sync', 'close']);
});
