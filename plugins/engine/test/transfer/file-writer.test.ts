import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { scratchFolder } from '@srv/kernel/testing';
import fc from 'fast-check';
import { FileWriter } from '../../src/transfer/file-writer.js';

const mebibyte = 1 << 20;

/** Bytes of the sizes given, none of them repeated soon. */
function piecesOf(sizes: readonly number[]): Buffer[] {
  return sizes.map(size => randomBytes(size));
}

/** A file that takes what `take` says of each write. */
function fileThat(take: (bytes: Buffer, position: number) => Promise<number>): ConstructorParameters<typeof FileWriter>[0] {
  return { writev: async (chunks, position) => ({ bytesWritten: await take(Buffer.concat(chunks), position) }) };
}

test('pieces of any size become the bytes of the file', async () => {
  const file = join(scratchFolder(), 'x');
  const piece = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 3 * mebibyte }));
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), fc.nat(1000), async (sizes, position) => {
      const pieces = piecesOf(sizes);
      const whole = Buffer.concat(pieces);
      const handle = await open(file, 'w');
      const hash = createHash('md5');
      let told = 0;
      const writer = new FileWriter(handle, { position, onBytes: count => (told += count), hash });
      await pipeline(Readable.from(pieces, { objectMode: false }), writer);
      await handle.close();
      assert.deepEqual([told, writer.bytesWritten], [whole.length, whole.length]);
      assert.ok(readFileSync(file).subarray(position).equals(whole));
      assert.equal(hash.digest('hex'), createHash('md5').update(whole).digest('hex'));
    }),
    { numRuns: 30 },
  );
});

test('a file that takes a part of a write gets the rest', async () => {
  const written = Buffer.alloc(3 * mebibyte);
  const file = fileThat(async (bytes, position) => bytes.copy(written, position, 0, 100_003));
  const pieces = piecesOf([70_000, 0, 1, mebibyte, 65_536, mebibyte]);
  await pipeline(Readable.from(pieces, { objectMode: false }), new FileWriter(file, { onBytes: () => undefined }));
  const whole = Buffer.concat(pieces);
  assert.ok(written.subarray(0, whole.length).equals(whole));
});

test('bytes arrive while others are written, but no more than two writes of them', async () => {
  const waiting: (() => void)[] = [];
  const file = fileThat(async bytes => {
    await new Promise<void>(resolve => waiting.push(resolve));
    return bytes.length;
  });
  const writer = new FileWriter(file, { onBytes: () => undefined });
  let taken = 0;
  const piece = Buffer.alloc(65_536);
  const offer = async (): Promise<void> => {
    for (let i = 0; i < 200 && !writer.writableNeedDrain; i++) {
      writer.write(piece);
      taken += piece.length;
      await turn();
    }
  };
  await offer();
  assert.equal(waiting.length, 1);
  assert.ok(taken >= 2 * mebibyte, `one write is under way, another is gathered: ${taken}`);
  assert.ok(taken <= 2 * mebibyte + 2 * piece.length, `${taken} bytes are in memory`);
  const ended = new Promise(resolve => writer.end(resolve));
  while (!writer.writableFinished) {
    waiting.shift()?.();
    await turn();
  }
  await ended;
  assert.equal(writer.bytesWritten, taken);
});

test('a failed write ends the transfer, whenever it fails', async () => {
  for (const failing of [1, 2, 3]) {
    let writes = 0;
    const file = fileThat(async bytes => {
      await turn();
      if (++writes === failing) throw new Error('the disk is full');
      return bytes.length;
    });
    const pieces = piecesOf(Array.from({ length: 40 }, () => 65_536));
    const transfer = pipeline(Readable.from(pieces, { objectMode: false }), new FileWriter(file, { onBytes: () => undefined }));
    await assert.rejects(transfer, { message: 'the disk is full' });
  }
});
