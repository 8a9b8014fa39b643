import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { fstatSync, openSync } from 'node:fs';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { FileBytes, pieceBytes } from '../src/server/files/file-bytes.js';
import { random } from './random.js';

describe('bytes of a large file', () => {
  const content = randomBytes(pieceBytes * 9 + 12_345);
  let folder = '';
  let path = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'file-bytes-'));
    path = join(folder, 'file');
    await writeFile(path, content);
  });
  after(() => rm(folder, { recursive: true }));

  const bytes = (start = 0, end = content.length - 1): FileBytes => new FileBytes(openSync(path, 'r'), { start, end });

  it('are those of any range', async () => {
    const { seed, int } = random();
    const anywhere = (): number => int(0, content.length - 1);
    for (let i = 0; i < 50; i++) {
      const [start, end] = [anywhere(), anywhere()].toSorted((a, b) => a - b) as [number, number];
      const found = await buffer(bytes(start, end));
      assert.ok(found.equals(content.subarray(start, end + 1)), `${start} to ${end}, SRV_TEST_SEED=${seed}`);
    }
  });

  it('come in few buffers when pieces are given back, and unmixed from many readers at once', async () => {
    const used = new Set<ArrayBufferLike>();
    const read = async (): Promise<void> => {
      const stream = bytes();
      let at = 0;
      for await (const piece of stream as AsyncIterable<Buffer>) {
        used.add(piece.buffer);
        // Others read meanwhile.
        await new Promise(setImmediate);
        assert.ok(piece.equals(content.subarray(at, at + piece.length)), `at ${at}`);
        at += piece.length;
        stream.takeBack(piece);
      }
      assert.equal(at, content.length);
    };
    for (let round = 0; round < 5; round++) await Promise.all(Array.from({ length: 4 }, read));
    assert.ok(used.size <= 4 * 4, `${used.size} buffers for ${5 * 4 * 10} pieces`);
  });

  it('stay whole for others when a piece is given back in parts, or twice', async () => {
    const careless = async (): Promise<void> => {
      const stream = bytes();
      let at = 0;
      for await (const piece of stream as AsyncIterable<Buffer>) {
        const half = piece.length >> 1;
        for (const part of [piece.subarray(0, half), piece.subarray(half)]) stream.takeBack(part);
        await new Promise(setImmediate);
        assert.ok(piece.equals(content.subarray(at, at + piece.length)), `at ${at}`);
        at += piece.length;
        stream.takeBack(piece);
        stream.takeBack(piece);
      }
    };
    const careful = async (): Promise<void> => assert.ok((await buffer(bytes())).equals(content));
    for (let round = 0; round < 5; round++) await Promise.all([careless, careful, careless, careful].map(read => read()));
  });

  it('stay whole for a reader that gives nothing back', async () => {
    const pieces: Buffer[] = [];
    for await (const piece of bytes() as AsyncIterable<Buffer>) pieces.push(piece);
    assert.ok(Buffer.concat(pieces).equals(content));
  });

  it('end early when the file has become shorter, and close it when reading stops', async () => {
    const shorter = join(folder, 'shorter');
    await writeFile(shorter, content);
    const stream = new FileBytes(openSync(shorter, 'r'), { start: 0, end: content.length - 1 });
    await truncate(shorter, pieceBytes);
    assert.ok((await buffer(stream)).length <= pieceBytes * 2);
    const left = openSync(path, 'r');
    const unread = new FileBytes(left, { start: 0, end: content.length - 1 });
    unread.read();
    unread.destroy();
    await new Promise(resolve => unread.once('close', resolve));
    assert.throws(() => fstatSync(left), { code: 'EBADF' });
  });
});
