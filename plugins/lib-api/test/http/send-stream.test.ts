import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendStream } from '../../src/http/index.js';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

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

describe('a body whose bytes are all there', () => {
  /** What a client gets of `body` when `length` bytes are announced, with the pieces in which the connection gave them. */
  const sent = async (body: Readable, length: number): Promise<{ readonly pieces: number; readonly text: string }> => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Length': String(length), Connection: 'close' });
      sendStream(response, body, length);
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    let pieces = 0;
    let text = '';
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket
      .on('error', () => undefined)
      .on('data', piece => {
        pieces++;
        text += piece.toString('latin1');
      });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'close');
    server.close();
    return { pieces, text: text.slice(text.indexOf('\r\n\r\n') + 4) };
  };
  const ready = (bytes: Buffer): Readable =>
    Object.assign(
      new Readable({
        read() {
          this.push(bytes);
          this.push(null);
        },
      }),
      { ready: bytes },
    );
  const bytes = Buffer.from(Array.from({ length: 20_000 }, (_, i) => (i * 7 + (i >> 8)) & 0xff));

  it('arrives byte by byte as it is, whatever its size, and is closed unread', async () => {
    for (const size of [0, 1, 256, 8191, 8192, 8193, 20_000]) {
      const body = ready(bytes.subarray(0, size));
      const { text } = await sent(body, size);
      assert.ok(Buffer.from(text, 'latin1').equals(bytes.subarray(0, size)), `${size} bytes`);
      assert.deepEqual([body.destroyed, body.readableDidRead], [true, false], `${size} bytes`);
    }
  });

  it('leaves in one piece with the headers when it is small', async () => {
    assert.equal((await sent(ready(bytes.subarray(0, 1024)), 1024)).pieces, 1);
  });

  it('is cut off when it has not the announced length', async () => {
    assert.equal((await sent(ready(bytes.subarray(0, 10)), 11)).text.length < 11, true);
    const { text } = await sent(ready(bytes.subarray(0, 12)), 11);
    assert.equal(text.length <= 11, true);
  });
});

describe('an answer over HTTP/2 that cannot be completed', () => {
  it('is reported once, with the first reason', async () => {
    const reasons: unknown[] = [];
    const failure = new Error('a disk error');
    const body = Readable.from(
      (async function* () {
        yield Buffer.from('some');
        throw failure;
      })(),
    );
    const server = createHttp2Server((_request, response) => {
      response.writeHead(200);
      sendStream(response as unknown as ServerResponse, body, 10, why => void reasons.push(why));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    try {
      await assert.rejects(buffer(session.request({ ':path': '/' })));
      assert.deepEqual(reasons, [failure]);
    } finally {
      session.close();
      server.close();
    }
  });

  it('fails at the client, and the connection stays usable', async () => {
    const server = createHttp2Server((request, response) => {
      response.writeHead(200);
      const cut = request.url === '/cut';
      sendStream(response as unknown as ServerResponse, Readable.from([Buffer.from('some')]), cut ? 10 : 4);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    try {
      await assert.rejects(buffer(session.request({ ':path': '/cut' })), { code: 'ERR_HTTP2_STREAM_ERROR' });
      assert.equal((await buffer(session.request({ ':path': '/whole' }))).toString(), 'some');
    } finally {
      session.close();
      server.close();
    }
  });
});
