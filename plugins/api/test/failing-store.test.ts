/** Uploads whose store fails in the middle of the body: each is answered, and so is the next request. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:http2';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ApiError } from '@srv/lib-api/client';
import { basic } from './support/raw.js';
import { startWholeServer } from './support/whole-server.js';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { BlockStore } from '@srv/lib-stores/block';
import type { WholeServer } from './support/whole-server.js';

const mebibyte = 1 << 20;
const objects = '/api/v1/repositories/lakes/branches/main/objects';
const pair = (name: string): string => fileURLToPath(new URL(`../../../http/test/fixtures/test-only-${name}.pem`, import.meta.url));
const full = (): Error => Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });

/** How a store gives up: it may destroy the body or leave it alone, and may not even have begun to read. */
const failures: Readonly<Record<string, (body: Readable) => Promise<never>>> = {
  'in the middle, and destroys the body': async body => {
    let seen = 0;
    for await (const chunk of body) {
      seen += (chunk as Buffer).length;
      if (seen > mebibyte) throw full();
    }
    throw new Error('the body ended');
  },
  'in the middle, and leaves the body alone': async body => {
    for (let seen = 0; seen <= mebibyte; ) {
      const chunk = body.read() as Buffer | null;
      if (chunk) seen += chunk.length;
      else await once(body, 'readable');
    }
    throw full();
  },
  'before it reads': async () => {
    throw full();
  },
};

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function send(server: WholeServer, agent: Agent, method: string, path: string, headers: Record<string, string> = {}, body?: Buffer) {
  return new Promise<Answer>((resolve, reject) => {
    const outgoing = httpRequest(
      new URL(path, server.url),
      { method, agent, headers: { authorization: basic, ...headers }, signal: AbortSignal.timeout(9000) },
      response => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text })).on('error', reject);
      },
    );
    // A client that still sends when the connection closes has its answer already.
    outgoing.on('error', reject);
    if (headers['expect'] === undefined) outgoing.end(body);
    else outgoing.on('continue', () => outgoing.end(body)).flushHeaders();
  });
}

describe('a store that fails', () => {
  for (const [how, fail] of Object.entries(failures)) {
    describe(how, () => {
      let server: WholeServer;
      let block: BlockStore;
      let put: BlockStore['put'];
      before(async () => {
        server = await startWholeServer({ imports: false });
        await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
        block = server.kernel.services.get('block');
        put = block.put.bind(block);
        block.put = (pointer, body, options) => (Buffer.isBuffer(body) ? put(pointer, body, options) : fail(body));
      });
      after(() => server.stop());

      for (const size of [3 * mebibyte, 8 * mebibyte, 24 * mebibyte])
        for (const [kind, headers] of [
          ['plain', { 'content-length': String(size) }],
          ['chunked', { 'transfer-encoding': 'chunked' }],
          ['after 100 Continue', { 'content-length': String(size), expect: '100-continue' }],
          ['a form', { 'content-length': String(size), 'content-type': 'multipart/form-data; boundary=B' }],
        ] as const)
          it(`${kind}, ${size} bytes`, async t => {
            const agent = new Agent({ keepAlive: true, maxSockets: 1 });
            t.after(() => agent.destroy());
            const body = Buffer.alloc(size, 'x');
            if (kind === 'a form') body.write('--B\r\nContent-Disposition: form-data; name="content"\r\n\r\n');
            const { status, text } = await send(server, agent, 'POST', `${objects}?path=k`, headers, body);
            assert.equal(status, 507, text);
            assert.match(text, /the storage of the server is full/);
            const next = await send(server, agent, 'GET', '/api/v1/repositories/lakes');
            assert.equal(next.status, 200, next.text);
          });
    });
  }

  it('a commit whose files cannot be stored says that the storage is full', async t => {
    const server = await startWholeServer({ imports: false });
    t.after(() => server.stop());
    await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    await server.admin.uploadObject({ repository: 'lakes', branch: 'main', path: 'k', body: 'x' });
    const block = server.kernel.services.get('block');
    const { put, putFile } = block;
    block.put = () => Promise.reject(full());
    block.putFile = () => Promise.reject(full());
    const commit = () => server.admin.commit({ repository: 'lakes', branch: 'main', body: { message: 'm' } });
    await assert.rejects(
      commit(),
      error => error instanceof ApiError && error.status === 507 && /storage of the server is full/.test(error.message),
    );
    Object.assign(block, { put, putFile });
    await commit();
  });

  it('over HTTP/2, next to other requests', async t => {
    const server = await startWholeServer({
      imports: false,
      settings: { 'tls.enabled': true, 'tls.cert_file': pair('cert'), 'tls.key_file': pair('key') },
    });
    t.after(() => server.stop());
    const session = connect(server.url, { rejectUnauthorized: false, maxSessionMemory: 1000 });
    t.after(() => session.destroy());
    const call = async (method: string, path: string, body?: Buffer): Promise<number> => {
      const stream = session.request({ ':method': method, ':path': path, authorization: basic, 'content-type': 'application/json' });
      stream.on('error', () => undefined);
      stream.end(body);
      const [headers] = (await once(stream, 'response', { signal: AbortSignal.timeout(9000) })) as [Record<string, unknown>];
      stream.resume();
      return Number(headers[':status']);
    };
    const repository = Buffer.from(JSON.stringify({ name: 'lakes', storage_namespace: 'local://lakes' }));
    assert.equal(await call('POST', '/api/v1/repositories', repository), 201);
    const block = server.kernel.services.get('block');
    block.put = async (_, body) => (Buffer.isBuffer(body) ? Promise.reject(full()) : (failures['before it reads'] ?? assert.fail())(body));
    for (let i = 0; i < 4; i++) assert.equal(await call('POST', `${objects}?path=k`, Buffer.alloc(24 * mebibyte)), 507);
    assert.equal(await call('GET', '/api/v1/repositories/lakes'), 200);
  });
});
