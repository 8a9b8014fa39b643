/** The bytes of the journal: what is written is read, what is damaged ends it, and nothing it says leaves the base folder. */
import assert from 'node:assert/strict';
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { silentLogger } from '@srv/kernel';
import { DurableFolders } from '../src/server/files/durable-folders.js';
import { Roots } from '../src/server/files/roots.js';
import {
  decodeHead,
  decodeSegment,
  encodeHead,
  encodeRecords,
  maxContentBytes,
  maxNameBytes,
} from '../src/server/journal/journal-format.js';
import { replayJournal } from '../src/server/journal/journal-replay.js';
import { random } from './random.js';
import type { JournalRecord } from '../src/server/journal/journal-format.js';

const folder = mkdtempSync(join(tmpdir(), 'srv-journal-format-'));
after(() => rmSync(folder, { recursive: true }));

const put = (name: string, content: string | Uint8Array, mtimeNs = 1_700_000_000_123_456_789n): JournalRecord => ({
  kind: 'put',
  name,
  mtimeNs,
  content: Buffer.from(content),
});
const segmentOf = (records: readonly JournalRecord[], bootId = 'boot'): Buffer =>
  Buffer.concat([encodeHead(bootId), encodeRecords(records)]);
const recordsIn = (bytes: Buffer): JournalRecord[] => Array.from(decodeSegment(bytes)?.records ?? [], ({ record }) => record);

test('the bytes are those of the layout', () => {
  assert.equal(
    segmentOf([put('repo/a', 'hi', 1n), { kind: 'forget', name: 'é' }], 'b').toString('hex'),
    [
      '7372762d6a6e6c 01 0100 62 88f70944',
      'd34d31f0 01 0600 02000000 0100000000000000 7265706f2f61 6869',
      'd8dbaed5 02 0200 00000000 0000000000000000 c3a9',
    ]
      .join('')
      .replaceAll(' ', ''),
  );
});

test('reads records as they were written', () => {
  const records = [
    put('repo/data/é/𝄞', 'content'),
    put('empty', ''),
    { kind: 'forget', name: 'repo/data/é/𝄞' } as const,
    put('large', Buffer.alloc(maxContentBytes, 7), 0n),
  ];
  assert.deepEqual(recordsIn(segmentOf(records)), records);
  assert.equal(decodeSegment(segmentOf([], 'an id'))?.bootId, 'an id');
  assert.deepEqual(recordsIn(segmentOf([])), []);
  assert.throws(() => encodeRecords([put('x', Buffer.alloc(maxContentBytes + 1))]), RangeError);
  assert.throws(() => encodeRecords([put('x'.repeat(maxNameBytes + 1), '')]), RangeError);
});

test('a segment that is cut short ends with its last whole record', () => {
  const records = [put('a', 'first'), put('b', 'second'), put('c/d', 'the last one')];
  const whole = segmentOf(records);
  const lastAt = segmentOf(records.slice(0, 2)).length;
  for (let end = lastAt; end < whole.length; end++) {
    assert.deepEqual(recordsIn(whole.subarray(0, end)), records.slice(0, 2), `cut at ${end}`);
    const zeros = Buffer.concat([whole.subarray(0, end), Buffer.alloc(whole.length - end)]);
    // The last byte of the text is not a zero.
    assert.deepEqual(recordsIn(zeros), records.slice(0, 2), `zeros from ${end}`);
  }
  for (let end = 0; end < encodeHead('boot').length; end++) assert.equal(decodeSegment(whole.subarray(0, end)), undefined);
});

test('a segment of another version is not taken for damage', () => {
  const head = encodeHead('boot');
  head.writeUInt8(2, 7);
  head.writeUInt32LE(crc32(head.subarray(0, -4)), head.length - 4);
  assert.throws(() => decodeHead(head), /a journal of version 2, while this program knows 1/);
});

test('names that leave the base folder, or belong to the driver, are refused', () => {
  const hostile = ['../x', '/etc/x', 'a/../../x', 'a//b', '', '.', '.srv-tmp/x', 'a/.srv-keys/b', 'nul\0', 'x'.repeat(256)];
  assert.deepEqual(recordsIn(segmentOf([...hostile.map(name => put(name, 'x')), put('good', 'x')])), [put('good', 'x')]);
  assert.deepEqual(recordsIn(segmentOf([put('before', 'x', -1n), put('good', 'x')])), [put('good', 'x')]);
});

test('no change of its bytes makes a segment do harm', async () => {
  const { int, seed } = random();
  const base = join(folder, 'base');
  for (const path of ['base', 'base/.srv-tmp', 'base/journal', 'outside']) mkdirSync(join(folder, path));
  symlinkSync('../outside', join(base, 'link'));
  symlinkSync('../outside/file', join(base, 'file-link'));
  writeFileSync(join(folder, 'outside/file'), 'untouched');
  const roots = new Roots({ path: base, real: base }, []);
  const options = { roots, folders: new DurableFolders(roots), temporary: join(base, '.srv-tmp'), log: silentLogger, keeps: false };
  const original = segmentOf([
    put('link/x', 'x'),
    put('file-link', 'x'),
    put('a/b', 'content'),
    { kind: 'forget', name: 'gone' },
    put('a', 'x'),
  ]);
  let replayed = 0;
  for (let round = 0; round < 10_000; round++) {
    const bytes = Buffer.from(original);
    for (let changes = int(1, 4); changes > 0; changes--) bytes[int(0, bytes.length - 1)] = int(0, 255);
    // Damage is found by the checksums; half of the time they are made right.
    if (round % 2 === 0) repairChecksums(bytes);
    let records: JournalRecord[];
    try {
      records = recordsIn(bytes);
    } catch (error) {
      assert.match(String(error), /a journal of version \d+/, `seed ${seed}, round ${round}`);
      continue;
    }
    for (const { name } of records)
      assert.ok(!name.startsWith('/') && !name.split('/').includes('..'), `seed ${seed}, round ${round}: ${name}`);
    if (records.length === 0 || int(1, 20) > 1) continue;
    replayed++;
    writeFileSync(join(base, 'journal/00000001.log'), bytes);
    await replayJournal(join(base, 'journal'), options);
  }
  assert.ok(replayed > 50, `seed ${seed}: only ${replayed} were replayed`);
  assert.deepEqual(readdirSync(join(folder, 'outside')), ['file'], `seed ${seed}`);
  assert.equal(readFileSync(join(folder, 'outside/file'), 'utf8'), 'untouched', `seed ${seed}`);
  assert.deepEqual(readdirSync(folder).sort(), ['base', 'outside'], `seed ${seed}`);
  assert.deepEqual(readdirSync(join(base, '.srv-tmp')), [], `seed ${seed}`);
  assert.ok(lstatSync(join(base, 'link')).isSymbolicLink() && lstatSync(join(base, 'file-link')).isSymbolicLink());
});

/** Writes the checksums that the head and the records would have with the lengths they state. */
function repairChecksums(bytes: Buffer): void {
  const headEnd = encodeHead('boot').length;
  bytes.writeUInt32LE(crc32(bytes.subarray(0, headEnd - 4)), headEnd - 4);
  for (let at = headEnd; bytes.length - at >= 19; ) {
    const end = at + 19 + bytes.readUInt16LE(at + 5) + bytes.readUInt32LE(at + 7);
    if (end > bytes.length) return;
    bytes.writeUInt32LE(crc32(bytes.subarray(at + 4, end)), at);
    at = end;
  }
}
