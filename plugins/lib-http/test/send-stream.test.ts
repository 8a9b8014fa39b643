import assert from 'node:assert/strict';
import { createServer, get } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import type { AddressInfo } from 'node:net';
import type { IncomingMessage, Server } from 'node:http';
import { sendStream } from '../src/index.js';

const pieceBytes = 256 << 10;
const pieces = 24;

/** Pieces filled with their number, in two buffers that are overwritten as soon as they come back. */
class Reused extends Readable {
  readonly #spare: Buffer[] = [Buffer.alloc(pieceBytes), Buffer.alloc(pieceBytes)];
  #next = 1;
  #isWanted = false;

  override _read(): void {
    this.#isWanted = true;
    this.#give();
  }

  takeBack(piece: Buffer): void {
    piece.fill(0xee);
    this.#spare.push(piece);
    this.#give();
  }

  #give(): void {
    const free = this.#isWanted ? this.#spare.pop() : undefined;
    if (!free) return;
    this.#isWanted = false;
    this.push(this.#next > pieces ? null : free.fill(this.#next++));
  }
}

describe('a body that uses its buffers again', () => {
  let server: Server;
  before(async () => {
    server = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Length': String(pieces * pieceBytes) });
      sendStream(response, new Reused({ highWaterMark: pieceBytes }), pieces * pieceBytes);
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => void server.close());

  const ask = (): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => get({ port: (server.address() as AddressInfo).port, agent: false }, resolve).on('error', reject));

  it('arrives whole at readers that are slow in their own ways', async () => {
    const read = async (pause: number): Promise<void> => {
      const response = await ask();
      await sleep(pause);
      const found = await buffer(response);
      assert.equal(found.length, pieces * pieceBytes);
      for (let i = 0; i < pieces; i++) {
        const piece = found.subarray(i * pieceBytes, (i + 1) * pieceBytes);
        assert.ok(piece.equals(Buffer.alloc(pieceBytes, i + 1)), `piece ${i + 1}`);
      }
    };
    await Promise.all([0, 0, 20, 50, 100].map(read));
  });
});
