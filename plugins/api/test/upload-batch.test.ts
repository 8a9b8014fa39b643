/** Many small objects in one request. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { ApiError, createClient } from '@srv/engine/client';
import { batchLimits, encodeBatch } from '@srv/engine/operations/batch';
import { startSrv } from '@srv/test-servers';
import type { AuthService } from '@srv/auth/contract';
import type { Client } from '@srv/engine/client';
import type { RunningSrv } from '@srv/test-servers';

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

describe('a batch of objects', () => {
  let srv: RunningSrv;
  let admin: Client;
  let auth: AuthService;
  const main = { repository: 'lakes', branch: 'main' };
  before(async () => {
    srv = await startSrv({ config: { 'auth.ui_config.rbac': 'internal' } });
    auth = srv.kernel.services.get('auth');
    admin = createClient({ endpointUrl: srv.url, ...srv.key, retries: { enabled: false } });
    await admin.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
  });
  after(async () => {
    admin.close();
    await srv.stop();
  });

  const send = (client: Client, body: Buffer, branch = main) =>
    client.uploadObjects({ ...branch, body }, { headers: { 'content-length': String(body.length) } });

  it('is stored whole, with types and metadata', async () => {
    const objects = Array.from({ length: 100 }, (_, i) => ({ path: `many/${i}`, bytes: Buffer.from(`content ${i}`) }));
    const { results } = await send(
      admin,
      encodeBatch([
        ...objects,
        { path: 'typed', bytes: Buffer.alloc(0), contentType: 'text/plain', metadata: { '::lakefs::client-mtime': '5', k: 'ü' } },
      ]),
    );
    assert.deepEqual(results, [
      ...objects.map(({ path }, i) => ({ path, checksum: md5(`content ${i}`) })),
      { path: 'typed', checksum: md5('') },
    ]);
    const { content_type, metadata, size_bytes } = await admin.statObject({ repository: 'lakes', ref: 'main', path: 'typed' });
    assert.deepEqual([content_type, metadata, size_bytes], ['text/plain', { '::lakefs::client-mtime': '5', k: 'ü' }, 0]);
    const { id } = await admin.commit({ ...main, body: { message: 'all' } });
    const { results: committed } = await admin.listObjects({ repository: 'lakes', ref: id, prefix: 'many/', amount: 1000 });
    assert.deepEqual(
      committed.map(({ path, checksum }) => [path, checksum]).toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
      objects.map(({ path }, i) => [path, md5(`content ${i}`)]).toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    );
    assert.deepEqual(await send(admin, Buffer.alloc(0)), { results: [] });
  });

  it('answers for each object, and leaves out what the caller may not write, or no caller may', async () => {
    await auth.createUser({ username: 'half' });
    await auth.createPolicy('half', [
      { effect: 'allow', action: ['fs:WriteObject'], resource: 'arn:lakefs:fs:::repository/lakes/object/mine/*' },
    ]);
    await auth.attachToUser('half', 'half');
    const { accessKeyId, secretAccessKey } = await auth.createCredential('half');
    const half = createClient({ endpointUrl: srv.url, accessKeyId, secretAccessKey, retries: { enabled: false } });
    const long = `mine/${'x'.repeat(2000)}`;
    const body = encodeBatch(['mine/a', 'theirs/b', long, ''].map(path => ({ path, bytes: Buffer.from('x') })));
    const { results } = await send(half, body);
    assert.deepEqual(results.slice(0, 2), [
      { path: 'mine/a', checksum: md5('x') },
      { path: 'theirs/b', status_code: 401, message: 'Unauthorized' },
    ]);
    assert.deepEqual(
      results.slice(2).map(({ path, checksum, status_code }) => [path, checksum, status_code]),
      [
        [long, undefined, 400],
        ['', undefined, 401],
      ],
    );
    assert.ok(results[2]?.message);
    await admin.statObject({ repository: 'lakes', ref: 'main', path: 'mine/a' });
    await assert.rejects(admin.statObject({ repository: 'lakes', ref: 'main', path: 'theirs/b' }), /not found/);
    half.close();
  });

  it('is refused as a whole where there is no branch', async () => {
    const body = encodeBatch([{ path: 'a', bytes: Buffer.from('x') }]);
    for (const place of [
      { repository: 'lakes', branch: 'none' },
      { repository: 'none', branch: 'main' },
    ])
      await assert.rejects(send(admin, body, place), (error: unknown) => error instanceof ApiError && error.status === 404);
  });

  it('is stored in no part when it is damaged or too much', async () => {
    const body = encodeBatch([
      { path: 'damaged/a', bytes: Buffer.from('x') },
      { path: 'damaged/b', bytes: Buffer.from('y') },
    ]);
    await assert.rejects(send(admin, body.subarray(0, -1)), /object 2 of the batch: its bytes end early/);
    await assert.rejects(send(admin, Buffer.alloc(batchLimits.bytes + 1)), /a batch has at most 2097152 bytes, not 2097153; send several/);
    assert.deepEqual((await admin.listObjects({ repository: 'lakes', ref: 'main', prefix: 'damaged/' })).results, []);
  });

  it('needs its length, and a caller that stays connected', async () => {
    const { hostname, port } = new URL(srv.url);
    const authorization = `Basic ${Buffer.from(`${srv.key.accessKeyId}:${srv.key.secretAccessKey}`).toString('base64')}`;
    const head = `POST /api/v1/repositories/lakes/branches/main/objects/batch HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\ncontent-type: application/octet-stream\r\n`;
    const answer = await new Promise<string>(resolve => {
      const socket = connect(Number(port), hostname, () => socket.write(`${head}transfer-encoding: chunked\r\n\r\n0\r\n\r\n`));
      socket.once('data', (data: Buffer) => {
        socket.destroy();
        resolve(data.toString());
      });
    });
    assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*a batch needs a Content-Length/);
    const body = encodeBatch([
      { path: 'left/a', bytes: Buffer.from('x') },
      { path: 'left/b', bytes: Buffer.from('y') },
    ]);
    await new Promise<void>(resolve => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(`${head}content-length: ${body.length}\r\n\r\n`);
        socket.end(body.subarray(0, -1));
      });
      socket.resume().once('close', () => resolve());
    });
    assert.deepEqual((await admin.listObjects({ repository: 'lakes', ref: 'main', prefix: 'left/' })).results, []);
  });
});
