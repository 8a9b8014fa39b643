import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, constants } from 'node:http2';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { basic } from './support/raw.js';
import { startWholeServer } from './support/whole-server.js';
import type { ClientHttp2Session } from 'node:http2';
import type { WholeServer } from './support/whole-server.js';

const pair = (name: string): string => fileURLToPath(new URL(`../../../http/test/fixtures/test-only-${name}.pem`, import.meta.url));

describe('the API over HTTP/2', () => {
  let server: WholeServer;
  let session: ClientHttp2Session;
  before(async () => {
    server = await startWholeServer({ settings: { 'tls.enabled': true, 'tls.cert_file': pair('cert'), 'tls.key_file': pair('key') } });
    session = connect(server.url, { rejectUnauthorized: false });
  });
  after(async () => {
    session.close();
    await server.stop();
  });

  async function call(method: string, path: string, body?: Buffer, headers: Record<string, string> = {}) {
    const stream = session.request({ ':method': method, ':path': `/api/v1${path}`, authorization: basic, ...headers });
    stream.end(body);
    const [answer] = (await once(stream, 'response')) as [Record<string, unknown>];
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    return { status: answer[':status'], headers: answer, body: Buffer.concat(chunks) };
  }

  it('uploads, reads ranges, and refuses', async () => {
    const json = { 'content-type': 'application/json' };
    const repository = Buffer.from(JSON.stringify({ name: 'lakes', storage_namespace: 'local://lakes' }));
    assert.equal((await call('POST', '/repositories', repository, json)).status, 201);
    const content = Buffer.alloc(3_000_000, 'abc');
    const place = '/repositories/lakes/branches/main/objects?path=a';
    assert.equal((await call('POST', place, content, { 'content-type': 'text/plain' })).status, 201);
    const value = 'Gr\u00fc\u00dfe \u20ac';
    const described = await call('POST', `${place}b`, content, { 'x-lakefs-meta-a': Buffer.from(value, 'utf8').toString('latin1') });
    assert.deepEqual((JSON.parse(described.body.toString()) as { metadata: unknown }).metadata, { a: value });
    const whole = await call('GET', '/repositories/lakes/refs/main/objects?path=a');
    assert.ok(whole.body.equals(content));
    const part = await call('GET', '/repositories/lakes/refs/main/objects?path=a', undefined, { range: 'bytes=1-2' });
    assert.deepEqual([part.status, part.body.toString()], [206, 'bc']);
    const head = await call('HEAD', '/repositories/lakes/refs/main/objects?path=a');
    assert.deepEqual([head.status, head.headers['content-length']], [200, String(content.length)]);
    assert.equal((await call('POST', place.replace('main', 'none'), content)).status, 404);
    assert.equal((await call('GET', '/repositories/none')).status, 404);
    assert.equal((await call('GET', '/config', undefined, { authorization: 'Basic eDp5' })).status, 401);
  });

  it('ends the work for a client that disconnects', async t => {
    const { kernel } = server;
    const body = Buffer.alloc(200_000, 'x');
    assert.equal(
      (await call('POST', '/repositories/lakes/branches/main/objects?path=left', body, { 'content-type': 'text/plain' })).status,
      201,
    );
    const engine = kernel.services.get('engine');
    const aborted = new Promise<void>(resolve => {
      t.mock.method(engine, 'open', async (...[, , options]: Parameters<typeof engine.open>) => {
        options?.signal?.addEventListener('abort', () => resolve(), { once: true });
        return new Readable({ read: () => undefined });
      });
    });
    const path = '/api/v1/repositories/lakes/refs/main/objects?path=left';
    const stream = session.request({ ':method': 'GET', ':path': path, authorization: basic });
    stream.on('error', () => undefined);
    await once(stream, 'response');
    stream.close(constants.NGHTTP2_CANCEL);
    await aborted;
  });
});
