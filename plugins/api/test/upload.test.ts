import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { HeldPeak, until } from '@srv/kernel/testing';
import { basic, jsonBody, raw } from './support/raw.js';
import { startServer } from './support/server.js';
import type { TestServer } from './support/server.js';

describe('uploads', () => {
  let server: TestServer;
  const objects = '/repositories/lakes/branches/main/objects';
  before(async () => {
    server = await startServer();
    await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: 'mem://bucket/lakes' } });
    await server.admin.uploadObject({ repository: 'lakes', branch: 'main', path: 'there', body: 'x' });
  });
  after(() => server.stop());

  it('accept a form', async () => {
    const form =
      '--B\r\nContent-Disposition: form-data; name="content"; filename="f.csv"\r\nContent-Type: text/csv\r\n\r\na,b\r\n\r\n--B--\r\n';
    const { status, text } = await raw(server, 'POST', `${objects}?path=form`, {
      body: form,
      headers: { 'content-type': 'multipart/form-data; boundary=B' },
    });
    assert.equal(status, 201, text);
    const stats = JSON.parse(text) as { content_type: string; size_bytes: number };
    assert.deepEqual([stats.content_type, stats.size_bytes], ['text/csv', 5]);
    const bad = await raw(server, 'POST', `${objects}?path=form`, { body: form, headers: { 'content-type': 'multipart/form-data' } });
    assert.equal(bad.status, 400);
  });

  it('keep metadata beyond ASCII, in UTF-8', async () => {
    const value = 'Gr\u00fc\u00dfe \u20ac \u{1f600}';
    const bytes = Buffer.from(value, 'utf8').toString('latin1');
    // Bytes that are not UTF-8 are shown one by one.
    const headers = { 'x-lakefs-meta-a': bytes, 'x-srv-meta-b': bytes, 'x-lakefs-internal-c': bytes, 'x-lakefs-meta-d': '\u00fc' };
    const { status, text } = await raw(server, 'POST', `${objects}?path=meta`, { body: Buffer.from('x'), headers });
    assert.equal(status, 201, text);
    const wanted = { a: value, b: value, '::lakefs::c': value, d: '\u00fc' };
    assert.deepEqual((JSON.parse(text) as { metadata: unknown }).metadata, wanted);
    const own = await server.admin.uploadObject(
      { repository: 'lakes', branch: 'main', path: 'own', body: 'x' },
      { headers: { 'x-lakefs-meta-a': value } },
    );
    assert.deepEqual(own.metadata, { a: value });
  });

  it('keep the first value of repeated metadata', async () => {
    const headers = { 'x-lakefs-meta-a': ['1', '2'], 'X-Srv-Meta-B': ['3, 4', '5'], 'x-lakefs-internal-c': 'c' };
    const { text } = await raw(server, 'POST', `${objects}?path=repeated`, { body: 'x', headers });
    assert.deepEqual((JSON.parse(text) as { metadata: unknown }).metadata, { a: '1', b: '3, 4', '::lakefs::c': 'c' });
  });

  it('keep the type as it was sent, or the general one', async () => {
    const typed = await raw(server, 'POST', `${objects}?path=t`, { body: 'x', headers: { 'content-type': 'text/plain; charset=utf-8' } });
    assert.match(typed.text, /"content_type":"text\/plain; charset=utf-8"/);
    const untyped = await raw(server, 'POST', `${objects}?path=u`, { body: 'x' });
    assert.match(untyped.text, /"content_type":"application\/octet-stream"/);
    assert.equal((await raw(server, 'POST', `${objects}?path=v`, { body: 'x', headers: { 'content-type': 'nonsense' } })).status, 400);
  });

  it('write only what is absent when asked to', async () => {
    const refused = await raw(server, 'POST', `${objects}?path=there`, { body: 'y', headers: { 'if-none-match': '*' } });
    assert.deepEqual([refused.status, refused.text], [412, '{"message":"path already exists"}\n']);
    assert.equal((await raw(server, 'POST', `${objects}?path=fresh`, { body: 'y', headers: { 'if-none-match': '*' } })).status, 201);
    assert.equal((await raw(server, 'POST', `${objects}?path=there`, { body: 'y', headers: { 'if-none-match': '"x"' } })).status, 501);
  });

  it('are rejected for an unknown branch, and the connection stays usable', async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    let received = '';
    socket.on('data', chunk => {
      received += chunk.toString();
    });
    const body = 'z'.repeat(1_000_000);
    const request = (branch: string): string =>
      `POST /api/v1/repositories/lakes/branches/${branch}/objects?path=k HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    socket.write(request('nowhere'));
    socket.write(request('main'));
    await until(() => received.includes('201 Created'));
    socket.destroy();
    assert.match(received, /^HTTP\/1\.1 404 Not Found/);
    assert.match(received, /branch 'nowhere' not found/);
    assert.match(received, /HTTP\/1\.1 201 Created/);
  });

  it('are refused before a client that asks first sends its bytes', async () => {
    for (const [path, branch, authorization, expected] of [
      ['k', 'nowhere', basic, 404],
      ['there', 'main', basic, 412],
      ['k', 'main', 'Bearer x', 401],
    ] as const) {
      const status = await askFirst(server, branch, path, authorization);
      assert.deepEqual(status, { continued: false, status: expected });
    }
    assert.deepEqual(await askFirst(server, 'main', 'asked', basic), { continued: true, status: 201 });
  });

  it('stream: memory stays well below the size', async () => {
    // The fake engine keeps objects in memory; one that only counts shows what the layers above hold.
    const size = 256 * 1024 * 1024;
    const chunk = Buffer.alloc(1024 * 1024, 1);
    const held = new HeldPeak();
    const body = Readable.from(
      (function* () {
        for (let sent = 0; sent < size; sent += chunk.length) {
          held.pass(chunk.length);
          yield chunk;
        }
      })(),
      { objectMode: false },
    );
    const engine = server.kernel.services.get('engine');
    const kept = engine.putObject;
    engine.putObject = async (_r, _b, path, source) => {
      let counted = 0;
      if (!Buffer.isBuffer(source)) for await (const piece of source) counted += (piece as Buffer).length;
      return {
        path,
        address: 'a',
        addressType: 1,
        physicalAddress: 'mem://b/a',
        lastModified: new Date(),
        size: counted,
        etag: 'e',
        metadata: {},
        contentType: 't/t',
      };
    };
    try {
      const stats = await server.admin.uploadObject(
        { repository: 'lakes', branch: 'main', path: 'big', body },
        { headers: { 'content-length': String(size) } },
      );
      assert.equal(stats.size_bytes, size);
      assert.ok(held.growth < size / 8, `${held.growth} bytes are held`);
    } finally {
      engine.putObject = kept;
    }
  });

  it('abort work of the engine when the client disconnects', async () => {
    const engine = server.kernel.services.get('engine');
    const kept = engine.putObject;
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const aborted = new Promise<boolean>(resolve => {
      engine.putObject = (_r, _b, _p, source, request) => {
        request?.signal?.addEventListener('abort', () => resolve(true));
        socket.destroy();
        if (!Buffer.isBuffer(source)) source.on('error', () => {}).resume();
        return new Promise((_, reject) => request?.signal?.addEventListener('abort', () => reject(new Error('gone'))));
      };
    });
    socket.write(`POST /api/v1${objects}?path=k HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic}\r\nContent-Length: 100000\r\n\r\nabc`);
    assert.equal(await aborted, true);
    engine.putObject = kept;
  });

  it('refuse JSON that is too large', async () => {
    const paths = Array.from({ length: 20_000 }, (_, i) => `${'p'.repeat(1000)}${i}`);
    const { status } = await raw(server, 'POST', `${objects}/delete`, jsonBody({ paths }));
    assert.equal(status, 413);
  });
});

function askFirst(
  server: TestServer,
  branch: string,
  path: string,
  authorization: string,
): Promise<{ continued: boolean; status: number }> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    let continued = false;
    const outgoing = httpRequest({
      hostname,
      port,
      method: 'POST',
      path: `/api/v1/repositories/lakes/branches/${branch}/objects?path=${path}`,
      headers: { expect: '100-continue', 'content-length': '5', 'if-none-match': '*', authorization },
    });
    outgoing.on('continue', () => {
      continued = true;
      outgoing.end('hello');
    });
    outgoing.on('response', response => {
      response.resume();
      resolve({ continued, status: response.statusCode ?? 0 });
      if (!continued) outgoing.destroy();
    });
    outgoing.on('error', error => {
      if (continued) reject(error);
    });
    outgoing.flushHeaders();
  });
}
