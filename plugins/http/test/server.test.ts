import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { get as httpsGet } from 'node:https';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, it } from 'node:test';
import { SrvError } from '@srv/kernel';
import { scratchFolder, until } from '@srv/kernel/testing';
import { parseListenAddress } from '../src/listen-address.js';
import { Door } from './support/door.js';
import { start } from './support/server.js';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Hooks } from '@srv/kernel';

/** Adds one route that answers with what `handler` returns. */
function route(handler: () => unknown): (hooks: Hooks) => void {
  return hooks =>
    hooks.routes.tap('test', server =>
      server.route({
        method: 'GET',
        path: '/x',
        options: { plugins: { http: { operationId: 'getX', headOperationId: 'headX' } } },
        handler: async () => (await handler()) as string,
      }),
    );
}

describe('listen addresses', () => {
  it('are host and port', () => {
    assert.deepEqual(parseListenAddress('0.0.0.0:8000'), { host: '0.0.0.0', port: 8000 });
    assert.deepEqual(parseListenAddress('[::1]:80'), { host: '::1', port: 80 });
    assert.deepEqual(parseListenAddress(':8000'), { port: 8000 });
    for (const bad of ['', 'host', 'host:', 'host:99999', '::1:80', 'host:x']) assert.equal(parseListenAddress(bad), undefined, bad);
  });

  it('are checked with the configuration', async () => {
    await assert.rejects(
      start(() => {}, { listen_address: 'nowhere' }),
      { code: 'config', message: /listen_address: "nowhere" is not allowed; allowed: <host>:<port>/ },
    );
    await assert.rejects(
      start(() => {}, { 'tls.enabled': true }),
      { code: 'config', message: /tls\.cert_file: missing required key[\s\S]*tls\.key_file: missing required key/ },
    );
  });

  it('of proxies are checked, too', async () => {
    await assert.rejects(
      start(() => {}, { 'http.trusted_proxies': ['10.0.0.0/8', '10.0.0.0/40'] }),
      { code: 'config', message: /http\.trusted_proxies: 10\.0\.0\.0\/40 is not a network; write addresses and networks, such as/ },
    );
  });

  it('that are taken are named in one line', async () => {
    const other = createServer();
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
    const taken = `127.0.0.1:${(other.address() as AddressInfo).port}`;
    await assert.rejects(
      start(() => {}, { listen_address: taken }),
      (error: unknown) => {
        assert.ok(error instanceof SrvError);
        assert.equal(
          error.message,
          `plugin http failed in ready: listen_address: ${taken} is already in use; stop the program that listens there or choose another address`,
        );
        return true;
      },
    );
    other.close();
  });
});

describe('the listener', () => {
  it('answers for its health', async () => {
    const { kernel, address } = await start();
    assert.equal(address.url, `http://127.0.0.1:${address.port}`);
    const before = await fetch(`${address.url}/_health`);
    assert.equal(await before.text(), 'alive!');
    assert.match(before.headers.get('content-type') ?? '', /^text\/plain/);
    await kernel.stop();
  });

  it('shows the id of the installation', async () => {
    const user = { username: 'ann', createdAt: new Date(0) };
    const { kernel, address } = await start(hooks => {
      hooks.openIdentity.for('none').tapPromise('test', async () => ({
        rbac: 'none' as const,
        installationId: 'some-id',
        authenticate: async () => user,
        authorize: async () => ({ allowed: true }),
        visibility: async () => () => true,
      }));
    });
    assert.equal(await (await fetch(`${address.url}/_health`, { method: 'POST' })).text(), 'alive! some-id');
    await kernel.stop();
  });

  it('answers 503 with what keeps it, or a peer, from working', async () => {
    const problems = { own: ['the disk is full'], others: [['the disk is full', 'no memory']] as readonly unknown[] };
    const { kernel, address } = await start((hooks, services) => {
      hooks.health.tap('test', report => problems.own.forEach(report));
      services.provide('peers', { group: 'g', handle: () => undefined, request: async () => problems.others });
    });
    const health = async (): Promise<readonly [number, string]> => {
      const response = await fetch(`${address.url}/_health`);
      return [response.status, await response.text()];
    };
    assert.deepEqual(await health(), [503, 'the disk is full']);
    problems.own = [];
    assert.deepEqual(await health(), [503, 'the disk is full\nno memory']);
    problems.others = [[], []];
    assert.deepEqual(await health(), [200, 'alive!']);
    await kernel.stop();
  });

  it('does not log as its fault what a request that its client has left was aborted with', async () => {
    /** Copies until the client leaves, as routes do that write what they read to a file. */
    const copyUntilGone = async (response: ServerResponse): Promise<never> => {
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      await pipeline(new Readable({ read() {} }), new PassThrough(), { signal: gone.signal });
      throw new Error('the client stayed');
    };
    let waiting = 0;
    const { kernel, address, lines } = await start((hooks, services) => {
      hooks.routes.tap('test', server =>
        server.route({
          method: 'GET',
          path: '/routed',
          handler: async ({ raw }) => {
            waiting++;
            return copyUntilGone(raw.res);
          },
        }),
      );
      hooks.rawRequest.tap('test', raw => {
        if (raw.request.url !== '/raw') return undefined;
        waiting++;
        const handle = () => copyUntilGone(raw.response as ServerResponse);
        void services.get('http').serve(raw, { service: 'face', handle, failed: (_, { status, message }) => ({ status, body: message }) });
        return true;
      });
    });
    for (const path of ['/routed', '/raw']) {
      const socket = connect(Number(new URL(address.url).port), '127.0.0.1');
      const before = waiting;
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await until(() => waiting > before);
      socket.destroy();
      await until(() => lines.some(({ level, fields }) => level === 'audit' && fields['path'] === path));
    }
    await kernel.stop();
    assert.deepEqual(
      lines.filter(({ level }) => level === 'error'),
      [],
    );
  });

  it('gives every answer an id of its own and every call an audit line', async () => {
    const { kernel, address, lines } = await start(route(() => ({ ok: true })));
    const response = await fetch(`${address.url}/x?a=1`, { headers: { 'x-request-id': 'mine', 'x-lakefs-client': 'tester' } });
    const id = response.headers.get('x-request-id') ?? '';
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    assert.equal(await response.text(), '{"ok":true}\n');
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    const audits = () => lines.filter(line => line.level === 'audit');
    const { fields, message } = await until(() => audits()[0]);
    assert.equal(message, 'HTTP call ended');
    const expected = {
      path: '/x?a=1',
      method: 'GET',
      host: `127.0.0.1:${address.port}`,
      status_code: 200,
      sent_bytes: 12,
      operation_id: 'getX',
      client: 'tester',
      request_id: id,
      service_name: 'rest_api',
    };
    for (const [name, value] of Object.entries(expected)) assert.equal(fields[name], value, name);
    assert.match(String(fields.source_ip), /^127\.0\.0\.1:\d+$/);
    assert.equal(typeof fields.took, 'number');
    await fetch(`${address.url}/x`, { method: 'HEAD' });
    assert.equal((await until(() => audits()[1])).fields.operation_id, 'headX');
    await kernel.stop();
  });

  it('accounts for callers who left', async () => {
    const door = new Door();
    const { kernel, address, lines } = await start(route(() => door.pass('late')));
    const socket = connect(address.port, '127.0.0.1');
    socket.write('GET /x HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => door.waiting > 0);
    socket.destroy();
    const line = await until(() => lines.find(({ level }) => level === 'audit'));
    assert.equal(line.fields.status_code, 499);
    door.open();
    await kernel.stop();
  });

  it('hides internal errors from callers and logs them for the operator', async () => {
    const { kernel, address, lines } = await start(route(() => Promise.reject(new Error('secret cause'))));
    const response = await fetch(`${address.url}/x`);
    assert.deepEqual([response.status, await response.text()], [500, '{"message":"internal server error"}\n']);
    const line = lines.find(l => l.level === 'error');
    assert.match(String(line?.fields.error), /secret cause/);
    assert.equal(line?.fields.request_id, response.headers.get('x-request-id'));
    await kernel.stop();
  });

  it('asks clients to come back when that helps', async () => {
    const { kernel, address } = await start(route(() => Promise.reject(new SrvError('slow_down', 'x'))));
    const response = await fetch(`${address.url}/x`);
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '1']);
    await kernel.stop();
  });

  it('lets a plugin take a request before any routing', async () => {
    const { kernel, address } = await start(hooks =>
      hooks.rawRequest.tap('test', ({ request, response }) => {
        if (!request.url?.startsWith('/bucket')) return undefined;
        response.end(request.url);
        return true;
      }),
    );
    const socket = connect(address.port, '127.0.0.1');
    let received = '';
    socket.on('data', chunk => {
      received += chunk.toString();
    });
    socket.write('GET /bucket/a/../b//%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await new Promise(resolve => socket.once('close', resolve));
    assert.match(received, /\/bucket\/a\/\.\.\/b\/\/%zz$/);
    assert.equal((await fetch(`${address.url}/other`)).status, 404);
    await kernel.stop();
  });

  it('ignores cookies it cannot read', async () => {
    const { kernel, address } = await start(route(() => 'ok'));
    assert.equal((await fetch(`${address.url}/x`, { headers: { cookie: 'a="b; c=\\u0001; d' } })).status, 200);
    await kernel.stop();
  });

  it('finishes open requests before it stops, and takes no new ones', async () => {
    const door = new Door();
    const { kernel, address } = await start(route(() => door.pass('done')));
    const idle = await fetch(`${address.url}/_health`, { keepalive: true });
    await idle.text();
    const open = fetch(`${address.url}/x`);
    await until(() => door.waiting > 0);
    const stopping = kernel.stop();
    await until(() =>
      fetch(`${address.url}/_health`).then(
        () => false,
        () => true,
      ),
    );
    door.open();
    const response = await open;
    assert.deepEqual([response.status, response.headers.get('connection'), await response.text()], [200, 'close', 'done']);
    await stopping;
  });

  it('waits for requests a plugin has taken, too', async () => {
    const door = new Door();
    const { kernel, address } = await start(hooks =>
      hooks.rawRequest.tap('test', ({ response }) => {
        response.write('first ');
        void door.pass('last').then(text => response.end(text));
        return true;
      }),
    );
    const open = await fetch(`${address.url}/x`);
    const stopping = kernel.stop();
    setTimeout(() => door.open(), 50);
    await stopping;
    assert.equal(await open.text(), 'first last');
  });

  it('speaks TLS', async () => {
    const folder = scratchFolder();
    const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    try {
      execFileSync(
        'openssl',
        [
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:prime256v1',
          '-nodes',
          '-days',
          '1',
          '-subj',
          '/CN=localhost',
          '-keyout',
          keyFile,
          '-out',
          certFile,
        ],
        { stdio: 'ignore' },
      );
    } catch {
      return;
    }
    const { kernel, address } = await start(() => {}, { 'tls.enabled': true, 'tls.cert_file': certFile, 'tls.key_file': keyFile });
    assert.match(address.url, /^https:/);
    const text = await new Promise<string>((resolve, reject) => {
      httpsGet(`${address.url}/_health`, { rejectUnauthorized: false }, response =>
        response.on('data', (chunk: Buffer) => resolve(chunk.toString())),
      ).on('error', reject);
    });
    assert.equal(text, 'alive!');
    await kernel.stop();
    await assert.rejects(
      start(() => {}, { 'tls.enabled': true, 'tls.cert_file': keyFile, 'tls.key_file': join(folder, 'none.pem') }),
      { message: /tls\.key_file: cannot read .*none\.pem/ },
    );
  });
});
