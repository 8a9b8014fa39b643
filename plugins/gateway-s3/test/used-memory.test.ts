/** Memory of bodies is freed early, and never before it has been stored and hashed. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { seededRandom } from '@srv/kernel/testing';
import { openPayload } from '../src/server/body/payload.js';
import { HeaderLines } from '../src/server/protocol/headers.js';
import type { Payload } from '../src/server/body/payload.js';

const canFree = 'transfer' in ArrayBuffer.prototype;
const none = new HeaderLines([]);

/** A piece that is all of its memory, as the server gets them. */
function piece(bytes: number): Buffer {
  const memory = Buffer.allocUnsafeSlow(bytes);
  randomBytes(bytes).copy(memory);
  return memory;
}

interface TakesBack {
  takeBack(piece: Buffer): void;
}

/** Reads a body as a slow disk does: pieces are written some time after they came, in order. */
async function store(payload: Payload, lag: () => number): Promise<Buffer> {
  const stream = payload.stream as Payload['stream'] & TakesBack;
  const written: Buffer[] = [];
  const waiting: Buffer[] = [];
  const writeSome = (left: number): void => {
    while (waiting.length > left) {
      const next = waiting.shift() ?? Buffer.alloc(0);
      written.push(Buffer.from(next));
      stream.takeBack(next);
    }
  };
  for await (const bytes of stream as AsyncIterable<Buffer>) {
    // Disks take parts of pieces, too.
    const half = bytes.length >> 1;
    waiting.push(bytes.subarray(0, half), bytes.subarray(half));
    writeSome(lag());
    if (lag() % 2 === 0) await turn();
  }
  writeSome(0);
  return Buffer.concat(written);
}

describe('memory of a large body', () => {
  it('holds until it has been written and hashed, in any order of the two', async () => {
    const { seed, below } = seededRandom();
    const int = (least: number, most: number): number => least + below(most - least + 1);
    for (let round = 0; round < 30; round++) {
      const pieces = Array.from({ length: int(1, 40) }, () => piece(int(1, 3) === 1 ? int(1, 40_000) : 65_536));
      const content = Buffer.concat(pieces);
      const source = new PassThrough({ highWaterMark: 1 << 20 });
      const payload = openPayload(source, { headers: none, mode: { kind: 'plain', size: content.length } });
      for (const bytes of pieces) source.write(bytes);
      source.end();
      const stored = await store(payload, () => int(0, 8));
      assert.ok(stored.equals(content), `SRV_TEST_SEED=${seed}`);
      assert.equal(await payload.md5(), createHash('md5').update(content).digest('hex'), `SRV_TEST_SEED=${seed}`);
    }
  });

  it('is free when a body that lasts has passed, where the runtime can free a buffer', async () => {
    const pieces = Array.from({ length: 64 }, () => piece(65_536));
    const source = new PassThrough({ highWaterMark: 1 << 20 });
    const payload = openPayload(source, { headers: none, mode: { kind: 'plain' } });
    for (const bytes of pieces) source.write(bytes);
    source.end();
    await store(payload, () => 0);
    const held = pieces.filter(({ length }) => length > 0).length;
    // The last ones may be hashed after they have been written.
    assert.ok(canFree ? held <= 8 : held === 64, `${held} of 64 pieces are held`);
  });

  it('stays if others may use it: small pieces, and parts of larger buffers', async () => {
    const shared = Buffer.alloc(300_000, 'a');
    const pieces = [shared.subarray(0, 100_000), Buffer.from('small'), shared.subarray(100_000)];
    const source = new PassThrough({ highWaterMark: 1 << 20 });
    const payload = openPayload(source, { headers: none, mode: { kind: 'plain' } });
    for (const bytes of pieces) source.write(bytes);
    source.end();
    await store(payload, () => 0);
    assert.deepEqual(
      pieces.map(({ length }) => length),
      [100_000, 5, 200_000],
    );
  });
});
