/** Large bodies wait for each other, but not for clients that have left, nor for those that are not known. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { until } from '@srv/kernel/testing';
import { anonymousBodies, heldBodies } from '@srv/lib-api/http';
import { basic } from './support/raw.js';
import { startWholeServer } from './support/whole-server.js';
import type { Socket } from 'node:net';
import type { WholeServer } from './support/whole-server.js';

const main = { repository: 'lakes', branch: 'main' };
let server: WholeServer;
before(async () => {
  server = await startWholeServer();
  await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
});
after(() => server.stop());

const folder = '/api/v1/repositories/lakes/branches/main/objects';
const waitingRequests = {
  'a plain request': [`${folder}/delete`, ['content-type: application/json']],
  'a request that needs the framework': [`${folder}/delete`, ['content-type: application/json', 'if-modified-since: never']],
  'a batch of objects': [`${folder}/batch`, ['content-type: application/octet-stream']],
} as const;

/** A client that sends the head of a request and no more. */
function idle(path: string, size: number, headers: readonly string[]): Socket {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write([`POST ${path} HTTP/1.1`, 'host: x', `content-length: ${size}`, ...headers, '', '{'].join('\r\n'));
  return socket;
}

const remove = () =>
  server.admin.deleteObjects({ ...main, body: { paths: Array.from({ length: 500 }, (_, i) => `folder/with/a/long/name/of/file-${i}`) } });

for (const [name, [path, headers]] of Object.entries(waitingRequests))
  test(`${name} whose client leaves while its body waits for its turn holds up no others`, async t => {
    const hold = heldBodies.hold.bind(heldBodies);
    const holds: ReturnType<typeof hold>[] = [];
    const release = (await hold(new Readable({ read() {} }), 1 << 30)) ?? assert.fail('a large body is held');
    t.mock.method(heldBodies, 'hold', (...given: Parameters<typeof hold>) => {
      const held = hold(...given);
      holds.push(held);
      return held;
    });
    const client = idle(path, 100_000, [`authorization: ${basic}`, ...headers]);
    await until(() => holds.length > 0);
    client.destroy();
    await assert.rejects(holds[0] ?? assert.fail(), { code: 'cancelled' });
    release();
    await until(() => heldBodies.held === 0);
    await remove();
  });

test('a packed body counts as what it may be unpacked', async t => {
  const sizes: number[] = [];
  const holdFor = heldBodies.holdFor.bind(heldBodies);
  t.mock.method(heldBodies, 'holdFor', (...given: Parameters<typeof holdFor>) => {
    sizes.push(given[1]);
    return holdFor(...given);
  });
  const body = Buffer.from(JSON.stringify({ paths: Array.from({ length: 1000 }, () => 'a') }));
  for (const [sent, encoding] of [
    [gzipSync(body), { 'content-encoding': 'gzip' }],
    // Not packed, and not plain: the framework reads it.
    [body, { 'if-modified-since': 'never' }],
  ] as const) {
    const answer = await fetch(`${server.url}${folder}/delete`, {
      method: 'POST',
      headers: { authorization: basic, 'content-type': 'application/json', ...encoding },
      body: sent,
    });
    assert.equal(answer.status, 200, await answer.text());
  }
  assert.deepEqual(sizes, [8 << 20, body.length]);
});

test('bodies of callers that are not known take no room from those of others', async () => {
  const [size, most] = [64 << 10, 16];
  const clients = Array.from({ length: most + 4 }, () => idle('/api/v1/auth/login', size, ['content-type: application/json']));
  await until(() => anonymousBodies.held === most * size);
  assert.equal(heldBodies.held, 0);
  await remove();
  for (const client of clients) client.destroy();
  await until(() => anonymousBodies.held === 0);
});
