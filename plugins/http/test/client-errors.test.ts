/** What the parser refuses, over plain connections. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { hasBodyOverrun } from '@srv/lib-api/http';
import { start } from './support/server.js';
import type { IncomingMessage } from 'node:http';
import type { Started } from './support/server.js';

let started: Started;
const bodies: { text: string; excess: boolean }[] = [];

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request) text += String(piece);
  return text;
}

before(async () => {
  started = await start(hooks => {
    hooks.rawRequest.tap('test', ({ request, response }) => {
      if (request.url !== '/body') return undefined;
      read(request).then(
        text => {
          bodies.push({ text, excess: hasBodyOverrun(request) });
          response.end('answered');
        },
        () => response.destroy(),
      );
      return true;
    });
  });
});
after(() => started.kernel.stop());

/** Everything the server sends until it closes. */
function exchange(...pieces: string[]): Promise<string> {
  return new Promise(resolve => {
    const socket = connect(started.address.port, '127.0.0.1');
    let received = '';
    socket.on('data', piece => {
      received += piece.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
    for (const piece of pieces) socket.write(piece);
  });
}

test('bytes after a body are reported to its request, which is answered, and the connection ends', async () => {
  const answer = await exchange('POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello world, and more');
  assert.deepEqual(bodies.splice(0), [{ text: 'hello', excess: true }]);
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(answer, /answered$/);
  const closing = await exchange('POST /body HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello world');
  assert.match(closing, /^HTTP\/1\.1 200 OK\r\n/);
  assert.deepEqual(bodies.splice(0), [{ text: 'hello', excess: true }]);
  const fine = await exchange('POST /body HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello');
  assert.match(fine, /answered$/);
  assert.deepEqual(bodies.splice(0), [{ text: 'hello', excess: false }]);
});

test('too many bytes of headers, and too many headers, are 431; nothing is dropped', async () => {
  const long = await exchange(`GET /_health HTTP/1.1\r\nHost: x\r\nX-Long: ${'l'.repeat(300_000)}\r\n\r\n`);
  assert.match(long, /^HTTP\/1\.1 431 .*"message":"the request line and headers are too large/s);
  const many = (count: number): string => Array.from({ length: count }, (_, i) => `x-${i}: ${i}\r\n`).join('');
  assert.match(await exchange(`GET /body HTTP/1.1\r\nHost: x\r\n${many(2000)}\r\n`), /^HTTP\/1\.1 431 .*more than 2000 headers/s);
  assert.match(await exchange(`GET /body HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${many(1998)}\r\n`), /^HTTP\/1\.1 200 /);
  bodies.length = 0;
});

test('a request without a host is 400', async () => {
  assert.match(await exchange('GET /body HTTP/1.1\r\n\r\n'), /^HTTP\/1\.1 400 .*no Host header/s);
});

test('answers 400 to what is not a request; a request before it keeps its answer', async () => {
  assert.match(await exchange('nonsense\r\n\r\n'), /^HTTP\/1\.1 400 .*not an HTTP request/s);
  const request = 'POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx';
  const two = await exchange(request, `GET / HTTP/1.1\r\nX-Long: ${'l'.repeat(300_000)}\r\n\r\n`);
  assert.match(two, /^HTTP\/1\.1 200 OK\r\n.*answeredHTTP\/1\.1 431 /s);
  assert.deepEqual(bodies.splice(0), [{ text: 'x', excess: false }]);
  // A body whose framing is broken never was a whole one.
  assert.match(await exchange('POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'), /^HTTP\/1\.1 400 /);
  assert.deepEqual(bodies, []);
});
