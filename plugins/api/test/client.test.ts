import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { ApiError, createClient } from '@srv/engine/client';
import operations from '@srv/engine/operations';
import { RetryPolicy, buildRequest, parseEndpoint } from '@srv/lib-api/client';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Client, ClientOptions } from '@srv/engine/client';

const fast = { minWait: 1, maxWait: 5 };

describe('waiting', () => {
  it('doubles up to the maximum and obeys the server', () => {
    const policy = new RetryPolicy({ minWait: 200, maxWait: 30_000 });
    assert.deepEqual(
      [1, 2, 3, 10].map(attempt => policy.delay(attempt, undefined)),
      [200, 400, 800, 30_000],
    );
    assert.equal(policy.delay(1, '2'), 2000);
    assert.equal(policy.delay(1, '3600'), 30_000);
    assert.equal(policy.delay(1, new Date(10_000).toUTCString(), 7000), 3000);
    assert.equal(policy.delay(1, 'soon'), 200);
    assert.equal(new RetryPolicy({ enabled: false }).maxAttempts, 1);
    assert.equal(new RetryPolicy().maxAttempts, 4);
  });
});

describe('addresses', () => {
  it('complete an endpoint', () => {
    for (const endpoint of ['http://h:1', 'http://h:1/', 'http://h:1/api/v1', 'http://h:1/api/v1/'])
      assert.equal(parseEndpoint(endpoint).href, 'http://h:1/api/v1');
    assert.equal(parseEndpoint('https://h/other/').href, 'https://h/other');
    for (const bad of ['', 'localhost:8000', 'ftp://h']) assert.throws(() => parseEndpoint(bad), { code: 'invalid' });
  });

  it('keep every character of a parameter', () => {
    const { url } = buildRequest(parseEndpoint('http://h'), operations.getTag, { repository: 'r', tag: 'a#b?c%d é' });
    assert.equal(url.pathname, '/api/v1/repositories/r/tags/a%23b%3Fc%25d%20%C3%A9');
    const object = buildRequest(parseEndpoint('http://h'), operations.statObject, { repository: 'r', ref: 'm', path: 'a +&=/ü' });
    assert.equal(object.url.searchParams.get('path'), 'a +&=/ü');
    const log = buildRequest(parseEndpoint('http://h'), operations.logCommits, {
      repository: 'r',
      ref: 'm',
      objects: ['a', 'b'],
      since: new Date(0),
    });
    assert.equal(log.url.search, '?objects=a&objects=b&since=1970-01-01T00%3A00%3A00.000Z');
    assert.throws(() => buildRequest(parseEndpoint('http://h'), operations.getTag, { repository: 'r' }), /getTag: tag is missing/);
  });
});

describe('the client', () => {
  let server: Server;
  let answer: (request: IncomingMessage, response: ServerResponse, attempt: number) => void = () => {};
  const seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const clients: Client[] = [];
  before(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        seen.push({
          method: request.method ?? '',
          url: request.url ?? '',
          headers: request.headers,
          body: Buffer.concat(chunks).toString(),
        });
        answer(request, response, seen.length);
      });
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    for (const client of clients) client.close();
    server.closeAllConnections();
    server.close();
  });

  const make = (options: Partial<ClientOptions> = {}): Client => {
    seen.length = 0;
    const client = createClient({
      endpointUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      accessKeyId: 'k',
      secretAccessKey: 's',
      retries: fast,
      ...options,
    });
    clients.push(client);
    return client;
  };
  const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

  it('sends credentials, agent and body', async () => {
    answer = (_request, response) => json(response, 201, { id: 't', commit_id: 'c' });
    const tag = await make({ userAgent: 'lakectl/1' }).createTag({ repository: 'r', body: { id: 't', ref: 'main' } });
    assert.deepEqual(tag, { id: 't', commit_id: 'c' });
    const [request] = seen;
    assert.equal(request?.headers.authorization, `Basic ${Buffer.from('k:s').toString('base64')}`);
    assert.equal(request?.headers['user-agent'], 'lakectl/1');
    assert.equal(request?.body, '{"id":"t","ref":"main"}');
  });

  it('tries again when that may help', async () => {
    for (const status of [429, 500, 503]) {
      answer = (_request, response, attempt) =>
        attempt < 3 ? json(response, status, { message: 'later' }) : json(response, 200, { version: '1' });
      assert.deepEqual(await make().getLakeFSVersion(), { version: '1' });
      assert.equal(seen.length, 3);
    }
  });

  it('gives up with the words of the server', async () => {
    answer = (_request, response) =>
      json(response, 503, { message: 'Throughput exceeded. Slow down and retry' }, { 'x-request-id': 'r-1' });
    await assert.rejects(make().getLakeFSVersion(), (error: unknown) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual(
        [error.status, error.statusText, error.message, error.attempts, error.requestId],
        [503, 'Service Unavailable', 'Throughput exceeded. Slow down and retry', 4, 'r-1'],
      );
      return true;
    });
  });

  it('does not repeat what is final', async () => {
    for (const status of [400, 401, 404, 409, 412, 502]) {
      answer = (_request, response) => json(response, status, { message: `no ${status}` });
      await assert.rejects(make().deleteTag({ repository: 'r', tag: 't' }), { name: 'ApiError', status, message: `no ${status}` });
      assert.equal(seen.length, 1);
    }
  });

  it('survives lost connections', async () => {
    answer = (request, response, attempt) => (attempt === 1 ? request.socket.destroy() : json(response, 200, { version: '2' }));
    assert.deepEqual(await make().getLakeFSVersion(), { version: '2' });
    const unreachable = createClient({ endpointUrl: 'http://127.0.0.1:1', retries: { enabled: false } });
    await assert.rejects(unreachable.healthCheck(), { code: 'unavailable', message: /cannot reach http:\/\/127\.0\.0\.1:1: ECONNREFUSED/ });
  });

  it('stops when its signal is aborted', async () => {
    const controller = new AbortController();
    answer = () => controller.abort();
    await assert.rejects(make().getLakeFSVersion({}, { signal: controller.signal }), { code: 'cancelled' });
    const waiting = new AbortController();
    answer = (_request, response) => {
      json(response, 503, {});
      setTimeout(() => waiting.abort(), 20);
    };
    await assert.rejects(make({ retries: { minWait: 10_000 } }).getLakeFSVersion({}, { signal: waiting.signal }), { code: 'cancelled' });
  });

  it('repeats bodies it can make again, and only those', async () => {
    const stats = { path: 'p', path_type: 'object', physical_address: '', checksum: '', mtime: 0 };
    answer = (_request, response, attempt) => (attempt === 1 ? json(response, 503, {}) : json(response, 201, stats));
    await make().uploadObject({ repository: 'r', branch: 'b', path: 'p', body: () => Readable.from(['again']) });
    assert.deepEqual(
      seen.map(s => s.body),
      ['again', 'again'],
    );
    await assert.rejects(make().uploadObject({ repository: 'r', branch: 'b', path: 'p', body: Readable.from(['once']) }), {
      status: 503,
      attempts: 1,
    });
  });

  it('streams what it receives', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '6', etag: '"e"' });
      response.write('abc');
      setTimeout(() => response.end('def'), 20);
    };
    const { status, headers, body } = await make().getObject({ repository: 'r', ref: 'm', path: 'p' });
    assert.deepEqual([status, headers.etag], [200, '"e"']);
    assert.equal(Buffer.concat(await body.toArray()).toString(), 'abcdef');
  });

  it('notices a download that breaks off', async () => {
    answer = (request, response) => {
      response.writeHead(200, { 'content-length': '6' });
      response.write('abc');
      setTimeout(() => request.socket.destroy(), 20);
    };
    const { body } = await make().getObject({ repository: 'r', ref: 'm', path: 'p' });
    await assert.rejects(body.toArray());
  });

  it('says why an object is refused', async () => {
    answer = (_request, response) => json(response, 404, { message: 'object not found' });
    await assert.rejects(make().getObject({ repository: 'r', ref: 'm', path: 'p' }), { status: 404, message: 'object not found' });
    answer = (_request, response) => response.writeHead(404, { 'content-length': '5' }).end();
    await assert.rejects(make().headObject({ repository: 'r', ref: 'm', path: 'p' }), { status: 404, message: 'Not Found' });
  });

  it('leaves neither a body nor a connection open that a server refused before it had all of it', async () => {
    const hasty = createServer((request, response) => {
      // One that reads no more.
      request.once('data', () => request.pause()).on('error', () => undefined);
      json(response, 403, { message: 'protected' });
    });
    await new Promise<void>(resolve => hasty.listen(0, '127.0.0.1', resolve));
    const client = make({ endpointUrl: `http://127.0.0.1:${(hasty.address() as AddressInfo).port}` });
    const body = Readable.from(Array.from({ length: 80 }, () => Buffer.alloc(65_536)));
    for (const content of [body, Buffer.alloc(5_000_000)]) {
      const connection = once(hasty, 'connection') as Promise<[Socket]>;
      const uploading = client.uploadObject({ repository: 'r', branch: 'm', path: 'p', body: content });
      await assert.rejects(uploading, { status: 403, message: 'protected' });
      const [socket] = await connection;
      if (!socket.closed) await once(socket, 'close');
    }
    assert.equal(body.destroyed, true);
    hasty.close();
  });

  it('follows redirects without its credentials', async () => {
    const other = createServer((request, response) => response.end(String(request.headers.authorization)));
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
    answer = (_request, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${(other.address() as AddressInfo).port}/x` }).end();
    const { body } = await make().getObject({ repository: 'r', ref: 'm', path: 'p', presign: true });
    assert.equal(Buffer.concat(await body.toArray()).toString(), 'undefined');
    const unfollowed = await make().call('getObject', { repository: 'r', ref: 'm', path: 'p', presign: true }, { followRedirect: false });
    assert.equal(unfollowed.status, 302);
    unfollowed.data.body.destroy();
    other.closeAllConnections();
    other.close();
  });

  it('returns status and headers on request', async () => {
    answer = (_request, response) => json(response, 200, { version: '1' }, { etag: 'abc' });
    const { status, headers, data } = await make().call('getLakeFSVersion', {});
    assert.deepEqual([status, headers.etag, data], [200, 'abc', { version: '1' }]);
  });

  it('rejects an answer that is not JSON', async () => {
    answer = (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
    await assert.rejects(make({ retries: { enabled: false } }).getLakeFSVersion(), { message: /bad response from server/ });
  });
});
