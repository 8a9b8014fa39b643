import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { raw } from './support/raw.js';
import { startServer } from './support/server.js';
import type { TestServer } from './support/server.js';

describe('object content', () => {
  let server: TestServer;
  const object = '/repositories/lakes/refs/main/objects?path=o';
  const tag = '"781e5e245d69b566979b86e28d23f2c7"';
  before(async () => {
    server = await startServer({ preSign: true });
    await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: 'mem://bucket/lakes' } });
    await server.admin.uploadObject(
      { repository: 'lakes', branch: 'main', path: 'o', body: '0123456789' },
      { headers: { 'content-type': 'text/plain' } },
    );
    await server.admin.uploadObject({ repository: 'lakes', branch: 'main', path: 'empty', body: Buffer.alloc(0) });
  });
  after(() => server.stop());

  it('comes with its tag, length and safety headers', async () => {
    const { status, headers, text } = await raw(server, 'GET', object);
    assert.deepEqual([status, text], [200, '0123456789']);
    const expected = {
      etag: tag,
      'content-length': '10',
      'content-type': 'text/plain',
      'content-disposition': 'inline',
      'cache-control': 'no-store, must-revalidate',
      expires: '0',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'content-security-policy': "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox",
      'accept-ranges': 'bytes',
    };
    for (const [name, value] of Object.entries(expected)) assert.equal(headers[name], value, name);
    assert.match(String(headers['last-modified']), /GMT$/);
  });

  it('may be empty', async () => {
    const { status, headers, text } = await raw(server, 'GET', '/repositories/lakes/refs/main/objects?path=empty');
    assert.deepEqual([status, headers['content-length'], text], [200, '0', '']);
  });

  it('serves ranges and refuses bad ones', async () => {
    const part = await raw(server, 'GET', object, { headers: { range: 'bytes=2-4' } });
    assert.deepEqual(
      [part.status, part.text, part.headers['content-range'], part.headers['content-length']],
      [206, '234', 'bytes 2-4/10', '3'],
    );
    const outside = await raw(server, 'GET', object, { headers: { range: 'bytes=10-' } });
    assert.deepEqual(
      [outside.status, outside.headers['content-range'], outside.text],
      [416, 'bytes */10', '{"message":"Requested Range Not Satisfiable"}\n'],
    );
    const malformed = await raw(server, 'GET', object, { headers: { range: 'bytes=0-1,3-4' } });
    assert.deepEqual([malformed.status, malformed.headers['content-range']], [416, undefined]);
    const changed = await raw(server, 'GET', object, { headers: { range: 'bytes=2-4', 'if-range': '"other"' } });
    assert.deepEqual([changed.status, changed.text], [200, '0123456789']);
  });

  it('is not sent again to clients that have it', async () => {
    const { status, text } = await raw(server, 'GET', object, { headers: { 'if-none-match': tag, range: 'bytes=2-4' } });
    assert.deepEqual([status, text], [304, '']);
    assert.equal((await raw(server, 'GET', object, { headers: { 'if-none-match': '"other"' } })).status, 200);
  });

  it('answers HEAD with headers only', async () => {
    const { status, headers, text } = await raw(server, 'HEAD', object);
    assert.deepEqual(
      [status, text, headers['content-length'], headers.etag, headers['content-disposition']],
      [200, '', '10', tag, undefined],
    );
    const part = await raw(server, 'HEAD', object, { headers: { range: 'bytes=-4' } });
    assert.deepEqual([part.status, part.headers['content-length'], part.headers['content-range']], [206, '4', 'bytes 6-9/10']);
    assert.equal((await raw(server, 'HEAD', object, { headers: { range: 'bytes=10-' } })).status, 416);
    const missing = await raw(server, 'HEAD', '/repositories/lakes/refs/main/objects?path=none');
    assert.deepEqual([missing.status, missing.text], [404, '']);
  });

  it('redirects to the store without headers of the object', async () => {
    const { status, headers } = await raw(server, 'GET', `${object}&presign=True`);
    assert.equal(status, 302);
    assert.match(String(headers.location), /^https:\/\/store\.test\//);
    assert.equal(headers.etag, undefined);
    const stat = await server.admin.statObject({ repository: 'lakes', ref: 'main', path: 'o', presign: true });
    assert.match(stat.physical_address, /^https:\/\/store\.test\//);
    assert.equal(stat.physical_address_expiry, 1_900_000_000);
    const list = await server.admin.listObjects({ repository: 'lakes', ref: 'main', presign: true });
    assert.ok(list.results.every(item => item.physical_address.startsWith('https://store.test/')));
  });

  it('is linked from an address the server handed out', async () => {
    const place = { repository: 'lakes', branch: 'main', path: 'linked' };
    const staging = await server.admin.getPhysicalAddress({ ...place, presign: true });
    assert.match(staging.physical_address ?? '', /^mem:\/\/bucket\/lakes\/data\/[0-9a-v]{20}\/[0-9a-v]{20},[\w-]{43}$/);
    assert.match(staging.presigned_url ?? '', /\?write$/);
    const linked = await server.admin.linkPhysicalAddress({
      ...place,
      body: { staging, checksum: '"abc"', size_bytes: 3, user_metadata: { k: 'v' }, content_type: null },
    });
    assert.deepEqual([linked.checksum, linked.physical_address, linked.metadata], ['abc', staging.physical_address, { k: 'v' }]);
    await assert.rejects(
      server.admin.linkPhysicalAddress({ ...place, path: 'elsewhere', body: { staging, checksum: 'a', size_bytes: 3 } }),
      { status: 400, message: /invalid address signature/ },
    );
    await assert.rejects(
      server.admin.linkPhysicalAddress({ ...place, 'If-None-Match': '*', body: { staging, checksum: 'a', size_bytes: 3 } }),
      { status: 412 },
    );
    await assert.rejects(server.admin.linkPhysicalAddress({ ...place, body: { staging, checksum: ' "" ', size_bytes: 3 } }), {
      status: 400,
      message: 'checksum is required',
    });
    await assert.rejects(
      server.admin.linkPhysicalAddress({
        ...place,
        body: { staging: { physical_address: 'mem://bucket/lakes/data/x/y' }, checksum: 'a', size_bytes: 3 },
      }),
      { message: /address is not signed/ },
    );
    const link = (physical_address: string) =>
      server.admin.linkPhysicalAddress({ ...place, body: { staging: { physical_address }, checksum: 'a', size_bytes: 3 } });
    await assert.rejects(link('mem://bucket/lakes/_srv/metadata'), {
      status: 400,
      message: /storage namespace of the repository, beside its data/,
    });
    for (const foreign of ['s3://bucket/x', '', '/etc/passwd'])
      await assert.rejects(link(foreign), { status: 400, message: /not valid for block adapter: mem/ });
    assert.equal((await link('mem://bucket/lakes-too/x')).physical_address, 'mem://bucket/lakes-too/x');
    const stage = (physical_address: string) =>
      server.admin.stageObject({ ...place, path: 'staged', body: { physical_address, checksum: 'a', size_bytes: 3 } });
    await assert.rejects(stage('mem://bucket/lakes/_srv/metadata'), { status: 400, message: /beside its data/ });
    assert.equal((await stage('mem://elsewhere/x')).physical_address, 'mem://elsewhere/x');
  });

  it('is sent whatever the texts stored with it contain', async () => {
    const { physical_address } = await server.admin.statObject({ repository: 'lakes', ref: 'main', path: 'o' });
    const wild = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).filter(text => text.trim() !== '');
    const stored = (checksum: string, content_type: string) => ({
      repository: 'lakes',
      branch: 'main',
      path: 'wild',
      body: { physical_address, checksum, content_type, size_bytes: 10 },
    });
    const path = '/repositories/lakes/refs/main/objects?path=wild';
    await fc.assert(
      fc.asyncProperty(wild, wild, async (checksum, contentType) => {
        await server.admin.stageObject(stored(checksum, contentType));
        const { status, headers, text } = await raw(server, 'GET', path);
        assert.deepEqual([status, text], [200, '0123456789']);
        // Conditions on dates are the framework's.
        const other = await raw(server, 'GET', path, { headers: { 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' } });
        assert.deepEqual([other.status, other.text, other.headers['content-type']], [200, '0123456789', headers['content-type']]);
        const head = await raw(server, 'HEAD', path);
        assert.deepEqual([head.status, head.headers.etag], [200, headers.etag]);
        if (!checksum.includes(',')) {
          const again = await raw(server, 'GET', path, { headers: { 'if-none-match': String(headers.etag) } });
          assert.equal(again.status, 304);
        }
      }),
      {
        numRuns: 200,
        examples: [
          ['\0', '\n'],
          ['\u007f\u{1f600}', 'text/plain; name=\u20ac'],
        ],
      },
    );
  });
});
