/** Multipart uploads through the AWS SDK, against a real server. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  S3ServiceException,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { endAbandoned } from '../src/server/uploads/abandoned.js';
import { UploadTracker } from '../src/server/uploads/tracker.js';
import { s3Client } from './support/client.js';
import { createRepository, startServer, storedFiles } from './support/server.js';
import type { S3Client } from '@aws-sdk/client-s3';
import type { UploadRecord } from '../src/server/uploads/record.js';
import type { TestServer } from './support/server.js';

let server: TestServer;
let client: S3Client;
const Bucket = 'repo';
const mebibyte = 1 << 20;

before(async () => {
  server = await startServer();
  client = s3Client(server);
  await createRepository(server, Bucket);
});
after(async () => {
  client.destroy();
  await server.stop();
});

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'none';
  } catch (error) {
    if (error instanceof S3ServiceException) return error.name;
    throw error;
  }
}

const begin = async (Key: string, rest: object = {}): Promise<string> =>
  (await client.send(new CreateMultipartUploadCommand({ Bucket, Key, ...rest }))).UploadId ?? '';
const part = async (Key: string, UploadId: string, PartNumber: number, Body: Buffer) => ({
  PartNumber,
  ETag: (await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }))).ETag,
});
const complete = (Key: string, UploadId: string, Parts: { PartNumber: number; ETag: string | undefined }[], rest: object = {}) =>
  client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts }, ...rest }));

describe('multipart uploads', () => {
  test('60 MB in parallel parts, out of order, within bounded memory', async () => {
    const Key = 'main/big file';
    const UploadId = await begin(Key, { ContentType: 'video/x', Metadata: { a: 'b' }, CacheControl: 'no-store' });
    const block = randomBytes(6 * mebibyte);
    const bodies = Array.from({ length: 10 }, (_, i) => Buffer.concat([Buffer.from([i]), block.subarray(1)]));
    const parts: { PartNumber: number; ETag: string | undefined }[] = [];
    for (const numbers of [
      [10, 9, 3],
      [1, 2, 8],
      [4, 5, 6, 7],
    ])
      parts.push(...(await Promise.all(numbers.map(n => part(Key, UploadId, n, bodies[n - 1] ?? Buffer.alloc(0))))));
    parts.sort((a, b) => a.PartNumber - b.PartNumber);
    const done = await complete(Key, UploadId, parts);
    const md5s = Buffer.concat(bodies.map(b => createHash('md5').update(b).digest()));
    assert.equal(done.ETag, `"${createHash('md5').update(md5s).digest('hex')}-10"`);
    assert.equal(done.Location, `${server.origin}/repo/main/big%20file`);
    const head = await client.send(new HeadObjectCommand({ Bucket, Key }));
    assert.deepEqual(
      [head.ETag, head.ContentLength, head.ContentType, head.Metadata, head.CacheControl],
      [done.ETag, 60 * mebibyte, 'video/x', { a: 'b' }, 'no-store'],
    );
    const [expected, got] = [createHash('sha256'), createHash('sha256')];
    for (const body of bodies) expected.update(body);
    const answer = await client.send(new GetObjectCommand({ Bucket, Key }));
    for await (const piece of answer.Body as AsyncIterable<Buffer>) got.update(piece);
    assert.equal(got.digest('hex'), expected.digest('hex'));
    // Repeating the request is harmless.
    assert.equal((await complete(Key, UploadId, parts)).ETag, done.ETag);
    assert.equal(await codeOf(part(Key, UploadId, 1, Buffer.from('x'))), 'NoSuchUpload');
    assert.equal(await codeOf(client.send(new ListPartsCommand({ Bucket, Key, UploadId }))), 'NoSuchUpload');
  });

  test('parts are listed in pages, replaced, and completed as listed', async () => {
    const Key = 'main/parts';
    const UploadId = await begin(Key);
    const large = Buffer.alloc(5 * mebibyte, 'a');
    await part(Key, UploadId, 1, Buffer.from('first try'));
    const one = await part(Key, UploadId, 1, large);
    const two = await part(Key, UploadId, 2, Buffer.from('unused'));
    const three = await part(Key, UploadId, 3, Buffer.from('end'));
    const page = await client.send(new ListPartsCommand({ Bucket, Key, UploadId, MaxParts: 2 }));
    assert.deepEqual(
      page.Parts?.map(p => [p.PartNumber, p.Size, p.ETag]),
      [
        [1, large.length, one.ETag],
        [2, 6, two.ETag],
      ],
    );
    assert.equal(page.IsTruncated, true);
    const rest = await client.send(new ListPartsCommand({ Bucket, Key, UploadId, PartNumberMarker: page.NextPartNumberMarker }));
    assert.deepEqual(
      rest.Parts?.map(p => p.PartNumber),
      [3],
    );
    await complete(Key, UploadId, [one, three]);
    assert.equal((await client.send(new HeadObjectCommand({ Bucket, Key }))).ContentLength, large.length + 3);
  });

  test('an empty last part is read as no bytes, and an empty object as a whole', async () => {
    const first = Buffer.alloc(5 << 20, 'a');
    for (const [Key, bodies] of [
      ['main/empty-part', [first, Buffer.alloc(0)]],
      ['main/empty-object', [Buffer.alloc(0)]],
    ] as const) {
      const UploadId = await begin(Key);
      const parts = [];
      for (const [i, body] of bodies.entries()) parts.push(await part(Key, UploadId, i + 1, body));
      await complete(Key, UploadId, parts);
      for (const [i, body] of bodies.entries())
        for (const read of [GetObjectCommand, HeadObjectCommand]) {
          const found = await client.send(new (read as typeof GetObjectCommand)({ Bucket, Key, PartNumber: i + 1 }));
          const range = body.length > 0 ? `bytes 0-${body.length - 1}/${first.length}` : undefined;
          assert.deepEqual(
            [found.$metadata.httpStatusCode, found.ContentLength, found.PartsCount, found.ContentRange],
            [bodies.length > 1 ? 206 : 200, body.length, bodies.length, range],
          );
          if (read === GetObjectCommand) assert.equal((await found.Body?.transformToByteArray())?.length, body.length);
        }
    }
  });

  test('parts of the joined object can be read one by one', async () => {
    const Key = 'main/by part';
    const UploadId = await begin(Key, { Metadata: { a: 'b' } });
    const sizes = [5 * mebibyte, 5 * mebibyte, 5 * mebibyte + 1, 3];
    const parts = [];
    for (const [i, size] of sizes.entries()) parts.push(await part(Key, UploadId, i + 1, Buffer.alloc(size, String(i))));
    const { ETag } = await complete(Key, UploadId, parts);
    const check = async (key: string) => {
      for (const [i, size] of sizes.entries()) {
        const found = await client.send(new HeadObjectCommand({ Bucket, Key: key, PartNumber: i + 1 }));
        assert.deepEqual([found.ContentLength, found.PartsCount, found.ETag], [size, sizes.length, ETag]);
      }
      const last = await client.send(new GetObjectCommand({ Bucket, Key: key, PartNumber: 4 }));
      assert.deepEqual([last.ContentRange?.startsWith(`bytes ${15 * mebibyte + 1}-`), await last.Body?.transformToString()], [true, '333']);
      const asked = { Bucket, Key: key, ObjectAttributes: ['ObjectParts' as const] };
      const { ObjectParts } = await client.send(new GetObjectAttributesCommand({ ...asked, MaxParts: 2, PartNumberMarker: '1' }));
      assert.deepEqual(
        [ObjectParts?.TotalPartsCount, ObjectParts?.IsTruncated, ObjectParts?.Parts?.map(p => [p.PartNumber, p.Size])],
        [
          4,
          true,
          [
            [2, sizes[1]],
            [3, sizes[2]],
          ],
        ],
      );
    };
    await check(Key);
    assert.equal(await codeOf(client.send(new GetObjectCommand({ Bucket, Key, PartNumber: 5 }))), 'InvalidPart');
    const replaced = { Bucket, Key: 'main/copy by part', CopySource: `${Bucket}/main/by%20part`, MetadataDirective: 'REPLACE' as const };
    await client.send(new CopyObjectCommand(replaced));
    await check('main/copy by part');
    // What another writer put there is not trusted.
    const engine = server.kernel.services.get('engine');
    await engine.setObjectMetadata(Bucket, 'main', 'by part', { 'X-Amz-Part-Sizes': '5*3' });
    const whole = await client.send(new HeadObjectCommand({ Bucket, Key, PartNumber: 1 }));
    assert.deepEqual([whole.ContentLength, whole.PartsCount], [15 * mebibyte + 4, undefined]);
  });

  test('ends abandoned uploads and removes their parts', async t => {
    const before = storedFiles(server).length;
    const { services } = server.kernel;
    const stores = { engine: services.get('engine'), block: services.get('block') };
    const Key = 'main/abandoned';
    const [old, active] = [await begin(Key), await begin(Key)];
    const hour = 3_600_000;
    /** A sweep long after: parts of the active upload are as fresh as they are. */
    const sweep = (age: number) => {
      const endAfter = (upload: UploadRecord, claim: () => Promise<UploadRecord | undefined>) => {
        const createdAt = new Date(upload.createdAt.getTime() - age);
        const listParts: typeof stores.block.listParts = async (...given) => {
          const page = await stores.block.listParts(...given);
          const shift = upload.uploadId === old ? age : 0;
          return { ...page, parts: page.parts.map(p => ({ ...p, lastModified: new Date(p.lastModified.getTime() - shift) })) };
        };
        const { abortMultipart, remove } = stores.block;
        const block = { listParts, abortMultipart: abortMultipart.bind(stores.block), remove: remove.bind(stores.block) };
        return endAbandoned({ engine: stores.engine, block }, { ...upload, createdAt }, { limit: hour, claim });
      };
      return new UploadTracker(services.get('kv'), { log: server.kernel.log, endAbandoned: endAfter }).sweep();
    };
    await part(Key, old, 1, Buffer.from('x'));
    await part(Key, active, 1, Buffer.from('y'));
    await sweep(0);
    assert.equal((await client.send(new ListPartsCommand({ Bucket, Key, UploadId: old }))).Parts?.length, 1);
    // Of several servers, at the same moment: none of them stumbles over what another has ended.
    const warned = t.mock.method(server.kernel.log, 'warn');
    await Promise.all([sweep(2 * hour), sweep(2 * hour), sweep(2 * hour)]);
    assert.deepEqual(warned.mock.calls, []);
    assert.equal(await codeOf(client.send(new ListPartsCommand({ Bucket, Key, UploadId: old }))), 'NoSuchUpload');
    assert.equal((await client.send(new ListPartsCommand({ Bucket, Key, UploadId: active }))).Parts?.length, 1);
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId: active }));
    assert.equal(storedFiles(server).length, before);
  });

  test('refusals', async () => {
    const Key = 'main/refused';
    const UploadId = await begin(Key);
    const one = await part(Key, UploadId, 1, Buffer.from('small'));
    const two = await part(Key, UploadId, 2, Buffer.from('small'));
    assert.equal(await codeOf(complete(Key, UploadId, [])), 'MalformedXML');
    assert.equal(await codeOf(complete(Key, UploadId, [one, two])), 'EntityTooSmall');
    assert.equal(await codeOf(complete(Key, UploadId, [two, one])), 'InvalidPartOrder');
    assert.equal(await codeOf(complete(Key, UploadId, [{ PartNumber: 1, ETag: '"ffff"' }])), 'InvalidPart');
    assert.equal(await codeOf(complete(Key, UploadId, [{ PartNumber: 7, ETag: one.ETag }])), 'InvalidPart');
    assert.equal(await codeOf(complete(Key, 'unknown', [one])), 'NoSuchUpload');
    assert.equal(await codeOf(complete('main/otherkey', UploadId, [one])), 'NoSuchUpload');
    assert.equal(await codeOf(complete('nobranch/refused', UploadId, [one])), 'NoSuchBucket');
    assert.equal(await codeOf(part('main/otherkey', UploadId, 1, Buffer.from('x'))), 'NoSuchUpload');
    assert.equal(await codeOf(part(Key, UploadId, 10_001, Buffer.from('x'))), 'InvalidArgument');
    assert.equal(await codeOf(begin('nobranch/x')), 'NoSuchBucket');
    assert.equal(await codeOf(begin('main/x', { Metadata: { a: 'x'.repeat(3000) } })), 'MetadataTooLarge');
    await client.send(new PutObjectCommand({ Bucket, Key, Body: 'there already' }));
    assert.equal(await codeOf(complete(Key, UploadId, [one], { IfNoneMatch: '*' })), 'PreconditionFailed');
    await complete(Key, UploadId, [one]);
    assert.equal((await client.send(new HeadObjectCommand({ Bucket, Key }))).ContentLength, 5);
  });

  test('aborting leaves nothing behind', async () => {
    const before = storedFiles(server).length;
    const Key = 'main/aborted';
    const UploadId = await begin(Key);
    await part(Key, UploadId, 1, Buffer.from('x'));
    assert.ok(storedFiles(server).length > before);
    assert.equal(await codeOf(client.send(new AbortMultipartUploadCommand({ Bucket, Key: 'main/else', UploadId }))), 'NoSuchUpload');
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    assert.equal(storedFiles(server).length, before);
    assert.equal(await codeOf(client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))), 'NoSuchUpload');
  });

  test('part copies with ranges', async () => {
    await client.send(
      new PutObjectCommand({ Bucket, Key: 'main/whole+ü', Body: Buffer.concat([Buffer.alloc(5 * mebibyte, 'a'), Buffer.from('tail')]) }),
    );
    const Key = 'main/composed';
    const UploadId = await begin(Key);
    const copy = (PartNumber: number, CopySourceRange?: string) =>
      client.send(
        new UploadPartCopyCommand({
          Bucket,
          Key,
          UploadId,
          PartNumber,
          CopySource: `${Bucket}/main/${encodeURIComponent('whole+ü')}`,
          CopySourceRange,
        }),
      );
    const one = await copy(1);
    const two = await copy(2, `bytes=${5 * mebibyte}-${5 * mebibyte + 1}`);
    assert.equal(await codeOf(copy(3, 'bytes=0-')), 'InvalidArgument');
    assert.equal(await codeOf(copy(3, `bytes=0-${6 * mebibyte}`)), 'InvalidArgument');
    await complete(Key, UploadId, [
      { PartNumber: 1, ETag: one.CopyPartResult?.ETag },
      { PartNumber: 2, ETag: two.CopyPartResult?.ETag },
    ]);
    const tail = await client.send(new GetObjectCommand({ Bucket, Key, Range: 'bytes=-6' }));
    assert.equal(await tail.Body?.transformToString(), 'tailta');
  });
});

describe('listing uploads', () => {
  test('pages, prefixes, delimiter', async () => {
    const keys = ['main/dir/a', 'main/dir/b', 'main/x y', 'main/x y'];
    const ids: string[] = [];
    for (const key of keys) ids.push(await begin(key));
    const list = (rest: object = {}) => client.send(new ListMultipartUploadsCommand({ Bucket, ...rest }));
    assert.deepEqual(
      (await list()).Uploads?.map(u => u.Key),
      keys,
    );
    assert.deepEqual(
      (await list({ Prefix: 'main/dir/' })).Uploads?.map(u => u.Key),
      ['main/dir/a', 'main/dir/b'],
    );
    const folded = await list({ Prefix: 'main/', Delimiter: '/' });
    assert.deepEqual(folded.CommonPrefixes, [{ Prefix: 'main/dir/' }]);
    assert.deepEqual(
      folded.Uploads?.map(u => u.UploadId),
      ids.slice(2),
    );
    const seen: (string | undefined)[] = [];
    for (let page = await list({ MaxUploads: 1 }), more = true; more; ) {
      seen.push(...(page.Uploads ?? []).map(u => u.UploadId));
      more = page.IsTruncated ?? false;
      if (more) page = await list({ MaxUploads: 1, KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker });
    }
    assert.deepEqual(seen, ids);
    for (const [i, Key] of keys.entries()) await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId: ids[i] }));
    assert.equal((await list()).Uploads, undefined);
  });
});
