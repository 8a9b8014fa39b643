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
      if (request.url === '/seen') {
        response.end(JSON.stringify([request.headers.host, request.rawHeaders.slice(0, 2)]));
        return true;
      }
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
const exchange = (...pieces: string[]): Promise<string> => converse(pieces, false);

/** The same from a client that sends no more. */
const exchangeAndEnd = (...pieces: string[]): Promise<string> => converse(pieces, true);

function converse(pieces: readonly string[], ends: boolean): Promise<string> {
  return new Promise(resolve => {
    const socket = connect(started.address.port, '127.0.0.1');
    let received = '';
    socket.on('data', piece => {
      received += piece.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
    for (const piece of pieces) socket.write(piece);
    if (ends) socket.end();
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

test('a request without a host, or with two, is 400', async () => {
  assert.match(await exchange('GET /body HTTP/1.1\r\n\r\n'), /^HTTP\/1\.1 400 .*no Host header/s);
  assert.match(await exchange('GET /body HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n'), /^HTTP\/1\.1 400 .*more than one Host header/s);
});

test('a refused request may send its body to the end, and its answer is read', async () => {
  const size = 4 << 20;
  // None, and two.
  for (const hosts of ['X: y', 'Host: x\r\nHost: x']) {
    const socket = connect(started.address.port, '127.0.0.1');
    const failures: Error[] = [];
    let received = '';
    socket.on('data', piece => (received += piece.toString('latin1'))).on('error', error => failures.push(error));
    const closed = new Promise(resolve => socket.on('close', resolve));
    socket.write(`POST /body HTTP/1.1\r\nContent-Length: ${size}\r\n${hosts}\r\n\r\n`);
    await new Promise<void>(resolve => socket.once('data', () => resolve()));
    for (let sent = 0; sent < size; sent += 1 << 20)
      await new Promise<void>(resolve =>
        socket.write(Buffer.alloc(1 << 20), error => resolve(error ? void failures.push(error) : undefined)),
      );
    await closed;
    assert.deepEqual(failures, [], hosts);
    assert.match(received, /^HTTP\/1\.1 400 .*"message":"the request has [^"]*Host header"\}\n$/s);
  }
});

test('a transfer encoding other than chunked is 501, and its body is not read', async () => {
  for (const coding of ['gzip, chunked', 'gzip\r\nTransfer-Encoding: chunked'])
    assert.match(
      await exchange(`POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${coding}\r\n\r\n1\r\nx\r\n0\r\n\r\n`),
      /^HTTP\/1\.1 501 .*"message":"the transfer encoding [a-z]+, chunked is not supported; send chunked alone"\}\n/s,
      coding,
    );
  assert.match(
    await exchange('POST /body HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: Chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n'),
    /answered$/,
  );
  assert.deepEqual(bodies.splice(0), [{ text: 'x', excess: false }]);
});

test('a target that is a URL reaches every plugin as its path and its host', async () => {
  const seen = async (target: string): Promise<string> =>
    (await exchange(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).split('\r\n\r\n').at(-1) ?? '';
  assert.equal(await seen('/seen'), '["x",["Host","x"]]');
  for (const target of ['http://other:81/seen', 'HTTPS://user@other:81/seen'])
    assert.equal(await seen(target), '["other:81",["Host","other:81"]]');
  assert.match(await seen('http://other?x=/seen'), /not found/i);
  assert.match(await exchange('GET ftp://other/seen HTTP/1.1\r\nHost: x\r\n\r\n'), /^HTTP\/1\.1 400 .*neither a path nor an http URL/s);
});

test('OPTIONS of the whole server has an answer, other methods have not', async () => {
  for (const target of ['*', 'http://other'])
    assert.match(await exchange(`OPTIONS ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`), /^HTTP\/1\.1 204 /, target);
  assert.match(await exchange('GET * HTTP/1.1\r\nHost: x\r\n\r\n'), /^HTTP\/1\.1 400 .*neither a path nor an http URL/s);
});

test('a request that the connection cuts off is reported as such', async () => {
  const cut = /^HTTP\/1\.1 400 .*"the connection ended before the end of the request"/s;
  assert.match(await exchangeAndEnd('POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhel'), cut);
  assert.match(await exchangeAndEnd('POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel'), cut);
  assert.deepEqual(bodies, []);
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
