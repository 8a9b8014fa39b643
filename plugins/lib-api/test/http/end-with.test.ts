/** Answers that leave in one piece: as they were given, in order, whatever the client does. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWith } from '../../src/http/index.js';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

const texts = ['', 'a', 'Grüße, 世界 🌍', 'x'.repeat(8192), `ü${'y'.repeat(300_000)}`];
const bodies: readonly (string | Buffer)[] = [...texts, ...texts.map(text => Buffer.from(text))];

describe('an answer with all of its body', () => {
  let server: Server;
  before(async () => {
    server = createServer((request, response) => {
      const body = bodies[Number(request.url?.slice(1))] ?? '';
      response.writeHead(200, { 'Content-Length': Buffer.byteLength(body), 'X-Path': request.url });
      endWith(response, body);
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => void server.close());

  const open = (): Socket => connect((server.address() as AddressInfo).port, '127.0.0.1');
  const lines = (method: string, i: number, last: boolean): string =>
    `${method} /${i} HTTP/1.1\r\nHost: x\r\n${last ? 'Connection: close\r\n' : ''}\r\n`;

  /** Sends all requests at once. @returns the bodies of the answers. */
  const ask = async (method: string, pause = 0): Promise<Buffer[]> => {
    const socket = open();
    socket.write(bodies.map((_, i) => lines(method, i, i === bodies.length - 1)).join(''));
    // A client that does not read at first lets the answers wait.
    socket.pause();
    await sleep(pause);
    const pieces: Buffer[] = [];
    socket.on('data', piece => pieces.push(piece)).resume();
    await once(socket, 'close');
    let rest = Buffer.concat(pieces);
    return bodies.map((_, i) => {
      const end = rest.indexOf('\r\n\r\n');
      const head = rest.subarray(0, end).toString('latin1');
      assert.match(head, new RegExp(`^HTTP/1\\.1 200 OK\r\n[^]*X-Path: /${i}\r\n`));
      const length = method === 'HEAD' ? 0 : Number(/Content-Length: (\d+)/.exec(head)?.[1]);
      const body = rest.subarray(end + 4, end + 4 + length);
      rest = rest.subarray(end + 4 + length);
      return body;
    });
  };

  it('comes in order on one connection, and byte by byte, at a client that reads late, too', async () => {
    for (const pause of [0, 200]) {
      const found = await ask('GET', pause);
      for (const [i, body] of bodies.entries()) assert.ok(found[i]?.equals(Buffer.from(body)), `body ${i}`);
    }
  });

  it('has no body where none is asked for', async () => {
    assert.equal((await ask('HEAD')).length, bodies.length);
  });

  it('is dropped without an error when the client has disconnected', async () => {
    const socket = open();
    await once(socket, 'connect');
    socket.write(lines('GET', 4, false).repeat(50));
    socket.resetAndDestroy();
    await once(socket, 'close');
    assert.equal((await ask('GET')).length, bodies.length);
  });
});
