import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '@srv/kernel/testing';
import { PartBuffers, evenPartBytes, grownPartBytes } from '../src/server/part-buffers.js';
import { mebibyte, pattern } from './bodies.js';

const tebibyte = 2 ** 40;

describe('sizes of parts', () => {
  it('of unknown lengths grow so that 10,000 parts hold 5 TiB, none above what S3 takes', () => {
    let total = 0;
    for (let partNumber = 1; partNumber <= 10_000; partNumber++) {
      const bytes = grownPartBytes(partNumber);
      assert.ok(bytes >= 5 * mebibyte && bytes <= 5 * 2 ** 30 && bytes >= grownPartBytes(Math.max(1, partNumber - 1)));
      total += bytes;
    }
    assert.ok(total >= 5 * tebibyte, `${total / tebibyte} TiB`);
    assert.equal(grownPartBytes(800), 8 * mebibyte);
    assert.equal(grownPartBytes(801), 16 * mebibyte);
  });

  it('of known lengths are even and at most 10,000', () => {
    for (const size of [1, 8 * mebibyte, 5 * 2 ** 30 + 1, 80_000 * mebibyte + 1, 5 * tebibyte]) {
      const bytes = evenPartBytes(size);
      assert.ok(bytes >= 8 * mebibyte && bytes % mebibyte === 0 && Math.ceil(size / bytes) <= 10_000);
    }
  });
});

describe('cutting', () => {
  it('gives every byte in its place, whatever the chunks, and uses buffers again', async () => {
    const { seed, below } = seededRandom();
    for (let round = 0; round < 50; round++) {
      const bytesOf = (partNumber: number): number => 1000 * 2 ** Math.floor((partNumber - 1) / 3);
      const content = pattern(below(20_000), round);
      const chunks = async function* () {
        for (let at = 0; at < content.length; ) {
          const length = 1 + below(3000);
          yield content.subarray(at, at + length);
          at += length;
        }
      };
      const buffers = new PartBuffers(bytesOf);
      const parts: Buffer[] = [];
      const memory = new Set<ArrayBufferLike>();
      for await (const part of buffers.cut(chunks())) {
        assert.equal(part.partNumber, parts.length + 1);
        assert.ok(
          part.isLast ? part.bytes.length <= bytesOf(part.partNumber) : part.bytes.length === bytesOf(part.partNumber),
          `SRV_TEST_SEED=${seed}`,
        );
        parts.push(Buffer.from(part.bytes));
        memory.add(part.bytes.buffer);
        buffers.release(part);
      }
      assert.ok(Buffer.concat(parts).equals(content), `SRV_TEST_SEED=${seed}`);
      if (parts.length === 3) assert.equal(memory.size, 1, `SRV_TEST_SEED=${seed}`);
    }
  });

  it('a body without bytes is one empty part', async () => {
    const parts: unknown[] = [];
    for await (const part of new PartBuffers(grownPartBytes).cut((async function* () {})())) parts.push(part);
    assert.deepEqual(parts, [{ partNumber: 1, bytes: Buffer.alloc(0), isLast: true }]);
  });
});
