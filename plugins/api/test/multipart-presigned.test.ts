import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiError } from '@srv/engine/client';
import { SrvError } from '@srv/kernel';
import { identifierType } from '@srv/lib-stores/block';
import { signatures } from './support/signing-store.js';
import { startWholeServer } from './support/whole-server.js';
import type { WholeServer } from './support/whole-server.js';

const refused = (status: number, message: RegExp) => (error: unknown) =>
  error instanceof ApiError && error.status === status && message.test(error.message);
const place = { repository: 'lakes', branch: 'main', path: 'big/object' };

describe('uploads in parts by signed URLs', () => {
  let server: WholeServer;
  before(async () => {
    server = await startWholeServer({ store: 'signing' });
    await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: 'mem://lakes' } });
    await server.admin.uploadObject({ repository: 'lakes', branch: 'main', path: 'source', body: '0123456789' });
  });
  after(() => server.stop());

  /** Does what a client would do with the URL. */
  async function writePart(physicalAddress: string, uploadId: string, part: number, text: string): Promise<string> {
    const pointer = { namespace: 'mem://lakes', identifier: physicalAddress, identifierType: identifierType.full };
    return (await server.kernel.services.get('block').uploadPart(pointer, uploadId, part, Buffer.from(text))).etag;
  }

  it('creates, signs parts, copies parts and completes', async () => {
    const { admin } = server;
    const begun = await admin.call('createPresignMultipartUpload', { ...place, parts: 2 });
    assert.equal(begun.status, 201);
    const { upload_id: uploadId, physical_address, presigned_urls: urls = [] } = begun.data;
    assert.equal(urls.length, 2);
    assert.match(urls[1] ?? '', /part=2$/);
    const upload = { ...place, uploadId };
    const { presigned_url } = await admin.uploadPart({ ...upload, partNumber: 3, body: { physical_address } });
    assert.match(presigned_url, /part=3$/);

    const first = await writePart(physical_address, uploadId, 1, 'abc');
    const copy = { physical_address, copy_source: { repository: 'lakes', ref: 'main', path: 'source', range: 'bytes=2-4' } };
    const copied = await admin.call('uploadPartCopy', { ...upload, partNumber: 2, body: copy });
    assert.equal(copied.status, 204);
    assert.match(copied.headers.etag ?? '', /^"[0-9a-f]+"$/);
    const parts = [
      { part_number: 1, etag: first },
      { part_number: 2, etag: copied.headers.etag ?? '' },
    ];
    const body = { physical_address, parts, content_type: 'text/plain', user_metadata: { k: 'v' } };
    await admin.uploadObject({ ...place, body: 'earlier' });
    // Before the upload ends, so that it can be completed without the condition.
    for (const condition of [{ 'If-None-Match': '*' }, { 'If-Match': '"other"' }])
      await assert.rejects(admin.completePresignMultipartUpload({ ...upload, ...condition, body }), refused(412, /./));
    const stats = await admin.completePresignMultipartUpload({ ...upload, body });
    assert.equal(stats.size_bytes, 6);
    assert.match(stats.physical_address, /^data\//);
    assert.doesNotMatch(stats.checksum, /"/);
    const { body: stream } = await admin.getObject({ repository: 'lakes', ref: 'main', path: place.path });
    assert.equal(Buffer.concat(await stream.toArray()).toString(), 'abc234');
    const seen = await admin.statObject({ repository: 'lakes', ref: 'main', path: place.path });
    assert.deepEqual([seen.content_type, seen.metadata], ['text/plain', { k: 'v' }]);
  });

  it('completes again what was joined and could not be staged', async t => {
    const { admin } = server;
    const { upload_id: uploadId, physical_address } = await admin.createPresignMultipartUpload(place);
    const etag = await writePart(physical_address, uploadId, 1, 'once');
    const engine = server.kernel.services.get('engine');
    const stage = engine.stageEntry.bind(engine);
    let failures = 1;
    t.mock.method(engine, 'stageEntry', async (...args: Parameters<typeof stage>) => {
      if (failures-- > 0) throw new SrvError('unavailable', 'the database is away');
      return stage(...args);
    });
    const upload = { ...place, uploadId, body: { physical_address, parts: [{ part_number: 1, etag }] } };
    await assert.rejects(admin.completePresignMultipartUpload(upload), refused(503, /./));
    const { checksum, size_bytes } = await admin.completePresignMultipartUpload(upload);
    const { body } = await admin.getObject({ repository: 'lakes', ref: 'main', path: place.path });
    assert.equal(Buffer.concat(await body.toArray()).toString(), 'once');
    assert.deepEqual([checksum !== '', size_bytes, failures], [true, 4, -1]);
    const other = { ...upload, uploadId: 'other', body: { ...upload.body, physical_address: `${physical_address}x` } };
    await assert.rejects(admin.completePresignMultipartUpload(other), refused(400, /signature/));
  });

  it('signs a few at a time, so that other requests get their turn', async () => {
    const { admin } = server;
    const { presigned_urls: urls = [] } = await admin.createPresignMultipartUpload({ ...place, parts: 1000 });
    assert.equal(new Set(urls).size, 1000);
    assert.ok(signatures.most > 1 && signatures.most <= 16, `${signatures.most} parts at a time`);
    const paths = Array.from({ length: 200 }, (_, i) => `many/${i}`);
    await Promise.all(paths.map(path => admin.uploadObject({ repository: 'lakes', branch: 'main', path, body: path })));
    signatures.most = 0;
    const { results } = await admin.listObjects({ repository: 'lakes', ref: 'main', prefix: 'many/', amount: 200, presign: true });
    assert.equal(new Set(results.map(item => item.physical_address)).size, 200);
    assert.ok(signatures.most > 1 && signatures.most <= 16, `${signatures.most} objects at a time`);
  });

  it('aborts', async () => {
    const { admin } = server;
    const { upload_id: uploadId, physical_address } = await admin.createPresignMultipartUpload(place);
    const upload = { ...place, uploadId, body: { physical_address } };
    assert.equal((await admin.call('abortPresignMultipartUpload', upload)).status, 204);
    await assert.rejects(admin.abortPresignMultipartUpload(upload), refused(404, /./));
  });

  it('refuses foreign addresses, wrong places and bad ranges', async () => {
    const { admin } = server;
    await assert.rejects(admin.createPresignMultipartUpload({ ...place, parts: 10_001 }), refused(400, /parts can be between 0 and 10000/));
    await assert.rejects(admin.createPresignMultipartUpload({ ...place, branch: 'none' }), refused(404, /none/));
    const { upload_id: uploadId, physical_address } = await admin.createPresignMultipartUpload(place);
    const upload = { ...place, uploadId };
    await assert.rejects(
      admin.completePresignMultipartUpload({ ...upload, body: { physical_address, parts: [] } }),
      refused(400, /parts are required/),
    );
    await assert.rejects(
      admin.uploadPart({ ...upload, partNumber: 1, body: { physical_address: 'mem://elsewhere/data/x' } }),
      refused(400, /relative to the storage namespace/),
    );
    await assert.rejects(
      admin.uploadPart({ ...upload, path: 'other', partNumber: 1, body: { physical_address } }),
      refused(400, /invalid address signature/),
    );
    await assert.rejects(admin.uploadPart({ ...upload, partNumber: 10_001, body: { physical_address } }), refused(400, /partNumber/));
    for (const range of ['2-4', 'bytes=4-2', 'bytes=1-', 'bytes=100-200', 'bytes=0-99']) {
      const copy = { physical_address, copy_source: { repository: 'lakes', ref: 'main', path: 'source', range } };
      await assert.rejects(admin.uploadPartCopy({ ...upload, partNumber: 1, body: copy }), refused(400, /copy source range/));
    }
  });
});

describe('a block store that signs nothing', () => {
  it('has no uploads in parts', async () => {
    const server = await startWholeServer({ store: 'mem' });
    try {
      await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: 'mem://lakes' } });
      const body = { physical_address: 'x' };
      const upload = { ...place, uploadId: 'u' };
      const unsupported = refused(501, /presign multipart upload API is not supported/);
      await assert.rejects(server.admin.createPresignMultipartUpload(place), unsupported);
      await assert.rejects(server.admin.uploadPart({ ...upload, partNumber: 1, body }), unsupported);
      await assert.rejects(server.admin.abortPresignMultipartUpload({ ...upload, body }), unsupported);
      await assert.rejects(server.admin.completePresignMultipartUpload({ ...upload, body: { ...body, parts: [] } }), unsupported);
    } finally {
      await server.stop();
    }
  });
});
