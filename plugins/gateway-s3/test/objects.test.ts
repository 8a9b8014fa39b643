/** Objects through the AWS SDK, against a real server. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketAclCommand,
  GetBucketEncryptionCommand,
  GetBucketLocationCommand,
  GetBucketVersioningCommand,
  GetBucketWebsiteCommand,
  GetObjectAclCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  GetObjectLockConfigurationCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectAclCommand,
  PutObjectCommand,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { xmlText } from '../src/server/protocol/xml-reader.js';
import { s3Client } from './support/client.js';
import { createRepository, startServer, storedFiles } from './support/server.js';
import type { S3Client } from '@aws-sdk/client-s3';
import type { TestServer } from './support/server.js';

let server: TestServer;
let client: S3Client;
const Bucket = 'repo';

before(async () => {
  server = await startServer();
  client = s3Client(server);
  await createRepository(server, Bucket);
  await createRepository(server, 'other');
  await createRepository(server, 'frozen', { readOnly: true });
});
after(async () => {
  client.destroy();
  await server.stop();
});

/** Name and status of the refusal. */
async function refusal(work: Promise<unknown>): Promise<[string, number | undefined]> {
  try {
    await work;
  } catch (error) {
    if (error instanceof S3ServiceException) return [error.name, error.$metadata.httpStatusCode];
    throw error;
  }
  return ['none', undefined];
}

const put = (Key: string, Body: string | Buffer = 'x') => client.send(new PutObjectCommand({ Bucket, Key, Body }));
const read = async (Key: string): Promise<string> =>
  (await (await client.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString()) ?? '';

describe('buckets', () => {
  test('list, with pages', async () => {
    const { Buckets } = await client.send(new ListBucketsCommand({}));
    assert.deepEqual(
      Buckets?.map(b => b.Name),
      ['frozen', 'other', 'repo'],
    );
    const first = await client.send(new ListBucketsCommand({ MaxBuckets: 2 }));
    assert.deepEqual(
      first.Buckets?.map(b => b.Name),
      ['frozen', 'other'],
    );
    const second = await client.send(new ListBucketsCommand({ MaxBuckets: 2, ContinuationToken: first.ContinuationToken }));
    assert.deepEqual(
      second.Buckets?.map(b => b.Name),
      ['repo'],
    );
    assert.equal(second.ContinuationToken, undefined);
    assert.deepEqual(
      (await client.send(new ListBucketsCommand({ Prefix: 're' }))).Buckets?.map(b => b.Name),
      ['repo'],
    );
  });

  test('probes', async () => {
    await client.send(new HeadBucketCommand({ Bucket }));
    assert.equal((await client.send(new GetBucketLocationCommand({ Bucket }))).LocationConstraint, undefined);
    assert.equal((await client.send(new GetBucketVersioningCommand({ Bucket }))).Status, undefined);
    const { Owner, Grants } = await client.send(new GetBucketAclCommand({ Bucket }));
    assert.equal(Grants?.[0]?.Permission, 'FULL_CONTROL');
    assert.equal(Grants?.[0].Grantee?.ID, Owner?.ID);
    assert.equal((await refusal(client.send(new HeadBucketCommand({ Bucket: 'missing' }))))[1], 404);
    assert.deepEqual(await refusal(client.send(new CreateBucketCommand({ Bucket }))), ['BucketAlreadyExists', 409]);
    assert.deepEqual(await refusal(client.send(new CreateBucketCommand({ Bucket: 'missing' }))), ['NotImplemented', 501]);
    assert.deepEqual(await refusal(client.send(new DeleteBucketCommand({ Bucket }))), ['ERRLakeFSNotSupported', 405]);
    for (const [command, code] of [
      [new GetBucketEncryptionCommand({ Bucket }), 'ServerSideEncryptionConfigurationNotFoundError'],
      [new GetObjectLockConfigurationCommand({ Bucket }), 'ObjectLockConfigurationNotFoundError'],
      [new GetBucketWebsiteCommand({ Bucket }), 'NoSuchWebsiteConfiguration'],
    ] as const)
      assert.deepEqual(await refusal(client.send(command as GetBucketWebsiteCommand)), [code, 404]);
    assert.deepEqual(await refusal(client.send(new ListObjectsV2Command({ Bucket: 'No.Such.Bucket' }))), ['NoSuchBucket', 404]);
  });
});

describe('objects', () => {
  const awkward = [
    'a b',
    'a+b',
    'a%20b',
    '100%',
    'ünïcödé/日本語/🚀',
    'a//b',
    '..',
    '../x',
    './y',
    'a/../b',
    '//',
    'tab\tand\nline',
    'q?x=y&z#f',
    '"<&>\'',
    'trailing/',
    ':;=@!$,~*()[]{}|\\^`',
    'k'.repeat(1024),
    `${'é'.repeat(512)}`,
    'x/_lakefs/y',
  ];

  test('awkward keys keep their names', async () => {
    for (const key of awkward) {
      await put(`main/${key}`, `content of ${key}`);
      assert.equal(await read(`main/${key}`), `content of ${key}`, key);
      await client.send(new HeadObjectCommand({ Bucket, Key: `main/${key}` }));
    }
    const listed: string[] = [];
    for (let ContinuationToken: string | undefined, more = true; more; ) {
      const page = await client.send(
        new ListObjectsV2Command({ Bucket, Prefix: 'main/', MaxKeys: 4, EncodingType: 'url', ContinuationToken }),
      );
      listed.push(...(page.Contents ?? []).map(o => decodeURIComponent(o.Key ?? '')));
      ContinuationToken = page.NextContinuationToken;
      more = page.IsTruncated ?? false;
    }
    const sorted = [...awkward].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(
      listed,
      sorted.map(key => `main/${key}`),
    );
    for (const key of awkward.filter(k => Buffer.byteLength(k) < 1000))
      await client.send(
        new CopyObjectCommand({ Bucket, Key: `main/copy/${key}`, CopySource: `${Bucket}/main/${encodeURIComponent(key)}` }),
      );
    const { Deleted, Errors } = await client.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects: awkward.map(key => ({ Key: `main/${key}` })) } }),
    );
    assert.equal(Deleted?.length, awkward.length, JSON.stringify(Errors));
    for (const key of awkward) assert.equal((await refusal(read(`main/${key}`)))[0], 'NoSuchKey', key);
  });

  test('keys of more than 1024 bytes are refused', async () => {
    assert.deepEqual(await refusal(put(`main/${'k'.repeat(1025)}`)), ['KeyTooLongError', 400]);
  });

  test('metadata, descriptive headers and overrides', async () => {
    const Key = 'main/described';
    await client.send(
      new PutObjectCommand({
        Bucket,
        Key,
        Body: 'x',
        ContentType: 'text/csv',
        ContentEncoding: 'gzip',
        CacheControl: 'no-cache',
        ContentDisposition: 'attachment',
        ContentLanguage: 'de',
        Metadata: { Color: 'blue', note: '=?utf-8?q?gr=C3=BCn?=' },
      }),
    );
    const head = await client.send(new HeadObjectCommand({ Bucket, Key }));
    assert.deepEqual(head.Metadata, { color: 'blue', note: '=?utf-8?q?gr=C3=BCn?=' });
    assert.deepEqual(
      [head.ContentType, head.ContentEncoding, head.CacheControl, head.ContentDisposition, head.ContentLanguage],
      ['text/csv', 'gzip', 'no-cache', 'attachment', 'de'],
    );
    const entry = await server.kernel.services.get('engine').getEntry(Bucket, 'main', 'described');
    assert.equal(entry.metadata['X-Amz-Meta-note'], 'grün');
    assert.equal(entry.metadata['X-Amz-Meta-color'], 'blue');
    await server.kernel.services
      .get('engine')
      .setObjectMetadata(Bucket, 'main', 'described', { 'X-Amz-Meta-size': 'gro\u00df', plain: 'x' });
    assert.deepEqual((await client.send(new HeadObjectCommand({ Bucket, Key }))).Metadata, { size: '=?utf-8?q?gro=C3=9F?=' });
    const got = await client.send(
      new GetObjectCommand({ Bucket, Key, ResponseContentType: 'text/plain', ResponseCacheControl: 'max-age=1' }),
    );
    assert.deepEqual([got.ContentType, got.CacheControl], ['text/plain', 'max-age=1']);
    assert.deepEqual(await refusal(client.send(new PutObjectCommand({ Bucket, Key, Body: 'x', Metadata: { a: 'x'.repeat(2050) } }))), [
      'MetadataTooLarge',
      400,
    ]);
  });

  test('ranges, parts and conditions', async () => {
    const Key = 'main/ranged';
    const { ETag } = await put(Key, '0123456789');
    const ranged = async (Range: string) => {
      const answer = await client.send(new GetObjectCommand({ Bucket, Key, Range }));
      return [answer.$metadata.httpStatusCode, answer.ContentRange, await answer.Body?.transformToString()];
    };
    assert.deepEqual(await ranged('bytes=2-4'), [206, 'bytes 2-4/10', '234']);
    assert.deepEqual(await ranged('bytes=-3'), [206, 'bytes 7-9/10', '789']);
    assert.deepEqual(await ranged('bytes=8-100'), [206, 'bytes 8-9/10', '89']);
    assert.deepEqual(await ranged('bytes=0-1,4-5'), [200, undefined, '0123456789']);
    assert.deepEqual(await refusal(client.send(new GetObjectCommand({ Bucket, Key, Range: 'bytes=10-' }))), ['InvalidRange', 416]);
    const head = await client.send(new HeadObjectCommand({ Bucket, Key, Range: 'bytes=1-2' }));
    assert.deepEqual([head.ContentLength, head.ContentRange], [2, 'bytes 1-2/10']);
    assert.equal((await client.send(new GetObjectCommand({ Bucket, Key, PartNumber: 1 }))).ContentLength, 10);
    assert.deepEqual(await refusal(client.send(new GetObjectCommand({ Bucket, Key, PartNumber: 2 }))), ['InvalidPart', 400]);
    assert.deepEqual((await refusal(client.send(new GetObjectCommand({ Bucket, Key, IfMatch: '"other"' }))))[1], 412);
    assert.deepEqual((await refusal(client.send(new GetObjectCommand({ Bucket, Key, IfNoneMatch: ETag }))))[1], 304);
    await client.send(new GetObjectCommand({ Bucket, Key, IfMatch: ETag }));
    await put('main/nothing', '');
    assert.equal(await read('main/nothing'), '');
    const end = await client.send(new GetObjectCommand({ Bucket, Key: 'main/nothing', Range: 'bytes=-1' }));
    assert.deepEqual([end.$metadata.httpStatusCode, end.ContentLength, end.ContentRange], [200, 0, undefined]);
    assert.equal((await client.send(new HeadObjectCommand({ Bucket, Key: 'main/nothing', Range: 'bytes=-1' }))).ContentLength, 0);
    for (const Range of ['bytes=0-', 'bytes=-0'])
      assert.deepEqual(await refusal(client.send(new GetObjectCommand({ Bucket, Key: 'main/nothing', Range }))), ['InvalidRange', 416]);
  });

  test('conditional writes and deletes', async () => {
    const Key = 'main/conditional';
    const { ETag } = await client.send(new PutObjectCommand({ Bucket, Key, Body: '1', IfNoneMatch: '*' }));
    assert.deepEqual(await refusal(client.send(new PutObjectCommand({ Bucket, Key, Body: '2', IfNoneMatch: '*' }))), [
      'PreconditionFailed',
      412,
    ]);
    assert.deepEqual(await refusal(client.send(new PutObjectCommand({ Bucket, Key, Body: '2', IfNoneMatch: ETag }))), [
      'NotImplemented',
      501,
    ]);
    assert.deepEqual(await refusal(client.send(new PutObjectCommand({ Bucket, Key, Body: '2', IfMatch: '"x"' }))), [
      'PreconditionFailed',
      412,
    ]);
    assert.deepEqual(await refusal(client.send(new PutObjectCommand({ Bucket, Key: 'main/none', Body: '2', IfMatch: '"x"' }))), [
      'NoSuchKey',
      404,
    ]);
    await client.send(new PutObjectCommand({ Bucket, Key, Body: '2', IfMatch: ETag }));
    assert.deepEqual(await refusal(client.send(new DeleteObjectCommand({ Bucket, Key, IfMatch: ETag }))), ['PreconditionFailed', 412]);
    assert.equal(await read(Key), '2');
    // What does not exist is deleted, whatever is expected of it.
    for (const missing of ['main/never', 'nobranch/never', 'main~1/never'])
      for (const condition of [{ IfMatch: '"x"' }, { IfMatch: '*' }, { IfMatchSize: 5 }]) {
        const { $metadata } = await client.send(new DeleteObjectCommand({ Bucket, Key: missing, ...condition }));
        assert.equal($metadata.httpStatusCode, 204, missing);
      }
    const Objects = [
      { Key: 'main/never', ETag: '"x"' },
      { Key, ETag: '"x"' },
    ];
    const { Deleted, Errors } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    assert.deepEqual(
      [Deleted?.map(object => object.Key), Errors?.map(error => [error.Key, error.Code])],
      [['main/never'], [[Key, 'PreconditionFailed']]],
    );
  });

  test('of many conditional writers one wins', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        refusal(client.send(new PutObjectCommand({ Bucket, Key: 'main/race', Body: String(i), IfNoneMatch: '*' }))),
      ),
    );
    const names = all.map(([name]) => name);
    assert.equal(names.filter(name => name === 'none').length, 1);
    assert.equal(names.filter(name => name === 'PreconditionFailed').length, 19);
  });

  test('checksums are verified and echoed', async () => {
    for (const ChecksumAlgorithm of ['CRC32', 'CRC32C', 'SHA1', 'SHA256', 'CRC64NVME'] as const) {
      const answer = await client.send(new PutObjectCommand({ Bucket, Key: 'main/sum', Body: ChecksumAlgorithm, ChecksumAlgorithm }));
      assert.ok(answer[`Checksum${ChecksumAlgorithm}`], ChecksumAlgorithm);
      assert.equal(answer.ChecksumType, 'FULL_OBJECT');
    }
    assert.deepEqual(await refusal(client.send(new PutObjectCommand({ Bucket, Key: 'main/bad', Body: 'x', ChecksumCRC32: 'AAAAAA==' }))), [
      'BadDigest',
      400,
    ]);
    assert.deepEqual(await refusal(client.send(new PutObjectCommand({ Bucket, Key: 'main/bad', Body: 'x', ChecksumSHA256: 'AAAA' }))), [
      'InvalidRequest',
      400,
    ]);
    assert.deepEqual(
      await refusal(
        client.send(
          new PutObjectCommand({ Bucket, Key: 'main/bad', Body: 'x', ContentMD5: createHash('md5').update('y').digest('base64') }),
        ),
      ),
      ['BadDigest', 400],
    );
    assert.deepEqual(await refusal(client.send(new PutObjectCommand({ Bucket, Key: 'main/bad', Body: 'x', ContentMD5: 'nonsense' }))), [
      'InvalidDigest',
      400,
    ]);
    assert.equal((await refusal(read('main/bad')))[0], 'NoSuchKey');
  });

  test('streams of unknown checksum come in chunks with a trailer', async () => {
    const bytes = randomBytes(3_000_000);
    const answer = await client.send(
      new PutObjectCommand({
        Bucket,
        Key: 'main/stream',
        Body: Readable.from([bytes.subarray(0, 1_000_000), bytes.subarray(1_000_000)]),
        ContentLength: bytes.length,
      }),
    );
    assert.equal(answer.ETag, `"${createHash('md5').update(bytes).digest('hex')}"`);
    assert.ok(answer.ChecksumCRC32);
    const got = await client.send(new GetObjectCommand({ Bucket, Key: 'main/stream' }));
    assert.deepEqual(Buffer.from((await got.Body?.transformToByteArray()) ?? []), bytes);
    assert.equal(got.ContentEncoding, undefined);
  });

  test('clients without default checksums', async t => {
    const plain = s3Client(server, { requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' });
    t.after(() => plain.destroy());
    const answer = await plain.send(new PutObjectCommand({ Bucket, Key: 'main/plain', Body: 'plain' }));
    assert.equal(answer.ChecksumCRC32, undefined);
    assert.equal(await read('main/plain'), 'plain');
    await plain.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'main/plain' }] } }));
  });

  test('virtual-host addressing', async t => {
    const hosted = s3Client(server, {
      forcePathStyle: false,
      endpoint: `http://s3.localhost:${server.port}`,
      requestHandler: {
        httpAgent: {
          lookup: (_: string, options: { all?: boolean }, done: (e: null, a: unknown, f?: number) => void) =>
            options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4),
        },
      },
    });
    t.after(() => hosted.destroy());
    await hosted.send(new PutObjectCommand({ Bucket, Key: 'main/hosted', Body: 'hosted' }));
    assert.equal(await read('main/hosted'), 'hosted');
  });
});

describe('copies', () => {
  test('within and across repositories, with metadata kept or replaced', async () => {
    await client.send(new PutObjectCommand({ Bucket, Key: 'main/source', Body: 'copy me', ContentType: 'text/x', Metadata: { a: '1' } }));
    const { CopyObjectResult } = await client.send(
      new CopyObjectCommand({ Bucket: 'other', Key: 'main/target', CopySource: `${Bucket}/main/source` }),
    );
    assert.equal(CopyObjectResult?.ETag, `"${createHash('md5').update('copy me').digest('hex')}"`);
    const kept = await client.send(new GetObjectCommand({ Bucket: 'other', Key: 'main/target' }));
    assert.deepEqual([await kept.Body?.transformToString(), kept.ContentType, kept.Metadata], ['copy me', 'text/x', { a: '1' }]);
    await client.send(
      new CopyObjectCommand({
        Bucket,
        Key: 'main/source',
        CopySource: `${Bucket}/main/source`,
        MetadataDirective: 'REPLACE',
        ContentType: 'text/y',
        Metadata: { b: '2' },
      }),
    );
    const replaced = await client.send(new HeadObjectCommand({ Bucket, Key: 'main/source' }));
    assert.deepEqual([replaced.ContentType, replaced.Metadata], ['text/y', { b: '2' }]);
  });

  test('refusals', async () => {
    const copy = (CopySource: string, rest: object = {}) =>
      refusal(client.send(new CopyObjectCommand({ Bucket, Key: 'main/source', CopySource, ...rest })));
    assert.deepEqual(await copy(`${Bucket}/main/source`), ['InvalidRequest', 400]);
    for (const name of ['MetadataDirective', 'TaggingDirective'])
      assert.deepEqual(await copy(`${Bucket}/main/source`, { [name]: 'REPLACED' }), ['InvalidArgument', 400]);
    assert.deepEqual(await copy(`${Bucket}/main/none`), ['NoSuchKey', 404]);
    assert.deepEqual(await copy(`${Bucket}/nobranch/x`), ['NoSuchKey', 404]);
    assert.deepEqual(await copy('missing/main/x'), ['NoSuchKey', 404]);
    assert.deepEqual(await copy('onlybucket'), ['InvalidArgument', 400]);
    assert.deepEqual(await copy(`${Bucket}/main/source`, { Key: 'main/t', CopySourceIfMatch: '"x"' }), ['PreconditionFailed', 412]);
    assert.deepEqual(
      await refusal(client.send(new CopyObjectCommand({ Bucket: 'missing', Key: 'main/t', CopySource: `${Bucket}/main/source` }))),
      ['NoSuchBucket', 404],
    );
  });
});

describe('refs', () => {
  test('commits, tags and expressions can be read, not written', async () => {
    const engine = server.kernel.services.get('engine');
    await put('main/versioned', 'one');
    const { id } = await engine.commit(Bucket, 'main', { message: 'one', committer: 'test' });
    await engine.createTag(Bucket, 'v1.0', 'main');
    await put('main/versioned', 'two');
    for (const ref of [id, id.slice(0, 12), 'v1.0', 'main@']) assert.equal(await read(`${ref}/versioned`), 'one', ref);
    for (const ref of ['main', 'main$']) assert.equal(await read(`${ref}/versioned`), 'two', ref);
    for (const ref of [id, 'v1.0', 'main@', 'main~1', 'nobranch']) {
      assert.deepEqual(await refusal(put(`${ref}/versioned`)), ['NoSuchBucket', 404], ref);
      assert.equal((await client.send(new DeleteObjectCommand({ Bucket, Key: `${ref}/versioned` }))).$metadata.httpStatusCode, 204, ref);
    }
    for (const ref of ['nobranch', 'a b', 'main~~~x', '^'])
      assert.deepEqual(await refusal(read(`${ref}/versioned`)), ['NoSuchKey', 404], ref);
    assert.equal(await read('main/versioned'), 'two');
  });

  test('protected branches and read-only repositories refuse before the body', async () => {
    await server.kernel.services.get('engine').createBranch(Bucket, 'locked', 'main');
    server.kernel.hooks.guardBranch.tap('test', ({ branch, block }) => void (branch === 'locked' && block()));
    const before = storedFiles(server).length;
    assert.deepEqual(await refusal(put('locked/x')), ['ErrWriteToProtectedBranch', 403]);
    assert.deepEqual(await refusal(client.send(new DeleteObjectCommand({ Bucket, Key: 'locked/x' }))), ['ErrWriteToProtectedBranch', 403]);
    const { Errors } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'locked/x' }] } }));
    assert.equal(Errors?.[0]?.Code, 'ErrWriteToProtectedBranch');
    for (const Key of ['main/x']) {
      assert.deepEqual(await refusal(client.send(new PutObjectCommand({ Bucket: 'frozen', Key, Body: 'x' }))), [
        'ErrReadOnlyRepository',
        403,
      ]);
      assert.deepEqual(await refusal(client.send(new DeleteObjectCommand({ Bucket: 'frozen', Key }))), ['ErrReadOnlyRepository', 403]);
    }
    assert.equal(storedFiles(server).length, before);
  });
});

describe('answers about objects', () => {
  test('attributes, access', async () => {
    await put('main/asked', 'abc');
    const attributes = await client.send(
      new GetObjectAttributesCommand({ Bucket, Key: 'main/asked', ObjectAttributes: ['ETag', 'ObjectSize', 'StorageClass'] }),
    );
    assert.deepEqual(
      [attributes.ETag, attributes.ObjectSize, attributes.StorageClass],
      [createHash('md5').update('abc').digest('hex'), 3, 'STANDARD'],
    );
    const { Owner, Grants } = await client.send(new GetObjectAclCommand({ Bucket, Key: 'main/asked' }));
    const acl = (AccessControlPolicy: object) =>
      refusal(client.send(new PutObjectAclCommand({ Bucket, Key: 'main/asked', AccessControlPolicy })));
    assert.deepEqual(await acl({ Owner, Grants }), ['none', undefined]);
    assert.deepEqual(await acl({ Owner, Grants: [{ ...Grants?.[0], Permission: 'READ' }] }), ['ERRLakeFSNotSupported', 405]);
    assert.deepEqual(await refusal(client.send(new PutObjectAclCommand({ Bucket, Key: 'main/asked', ACL: 'private' }))), [
      'none',
      undefined,
    ]);
    assert.deepEqual(await refusal(client.send(new PutObjectAclCommand({ Bucket, Key: 'main/asked', ACL: 'public-read' }))), [
      'ERRLakeFSNotSupported',
      405,
    ]);
    assert.equal(await read('main/asked'), 'abc');
  });

  test('deletes: single, missing, many, quiet', async () => {
    await put('main/d1');
    await client.send(new DeleteObjectCommand({ Bucket, Key: 'main/d1' }));
    await client.send(new DeleteObjectCommand({ Bucket, Key: 'main/d1' }));
    await Promise.all(['a', 'b', 'c'].map(k => put(`main/many/${k}`)));
    const Objects = ['main/many/a', 'main/many/b', 'main/many/none', 'main/', 'nobranch/x', `main/${'k'.repeat(1025)}`].map(Key => ({
      Key,
    }));
    const { Deleted, Errors } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    assert.deepEqual(
      Deleted?.map(d => d.Key),
      Objects.slice(0, 5).map(o => o.Key),
    );
    assert.deepEqual(
      Errors?.map(e => e.Code),
      ['ErrDeletingKey'],
    );
    const misplaced = ['main', '/main/d1', '/'].map(Key => ({ Key }));
    const refused = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: misplaced } }));
    assert.deepEqual(
      [refused.Deleted, refused.Errors?.map(e => [e.Key, e.Code, e.Message])],
      [
        undefined,
        misplaced.map(({ Key }) => [Key, 'ErrDeletingKey', `error deleting object: the key "${Key}" is not of the form <branch>/<path>`]),
      ],
    );
    const quiet = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'main/many/c' }], Quiet: true } }));
    assert.equal(quiet.Deleted, undefined);
    assert.equal((await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'main/many/' }))).KeyCount, 0);
    const thousand = Array.from({ length: 1001 }, (_, i) => ({ Key: `main/t${i}` }));
    assert.deepEqual(await refusal(client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: thousand } }))), [
      'MalformedXML',
      400,
    ]);
    assert.equal((await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: thousand.slice(1) } }))).Deleted?.length, 1000);
  });

  test('documents that are not UTF-8 are refused: keys with replaced characters are other keys', () => {
    assert.equal(xmlText(Buffer.from('<Key>ü</Key>')), '<Key>ü</Key>');
    assert.throws(() => xmlText(Buffer.from('<Key>\xff</Key>', 'latin1')), { code: 'MalformedXML' });
  });
});

describe('pre-signed URLs', () => {
  test('GET and PUT', async () => {
    const Key = 'main/pre signed+ü';
    const putUrl = await getSignedUrl(client, new PutObjectCommand({ Bucket, Key }), { expiresIn: 604_800 });
    assert.equal((await fetch(putUrl, { method: 'PUT', body: 'by url' })).status, 200);
    const getUrl = await getSignedUrl(client, new GetObjectCommand({ Bucket, Key }), { expiresIn: 3600 });
    const answer = await fetch(getUrl);
    assert.equal(await answer.text(), 'by url');
    const wrong = await fetch(getUrl.replace('signed', 'signee'));
    assert.equal(wrong.status, 403);
    assert.match(await wrong.text(), /<Code>SignatureDoesNotMatch<\/Code>/);
    const described = await getSignedUrl(client, new PutObjectCommand({ Bucket, Key: 'main/hoisted', Metadata: { color: 'blue' } }));
    assert.match(described, /x-amz-meta-color=blue/);
    assert.equal((await fetch(described, { method: 'PUT', body: 'x' })).status, 200);
    assert.deepEqual((await client.send(new HeadObjectCommand({ Bucket, Key: 'main/hoisted' }))).Metadata, { color: 'blue' });
    // A header in the URL counts like any other: without it the copy would be an empty object.
    const copied = await getSignedUrl(client, new CopyObjectCommand({ Bucket, Key: 'main/copied', CopySource: `${Bucket}/main/hoisted` }));
    assert.match(copied, /x-amz-copy-source=/);
    assert.equal((await fetch(copied, { method: 'PUT' })).status, 200);
    assert.equal(await read('main/copied'), 'x');
    const late = await getSignedUrl(client, new GetObjectCommand({ Bucket, Key }), {
      expiresIn: 1,
      signingDate: new Date(Date.now() - 3_000_000),
    });
    assert.match(await (await fetch(late)).text(), /Request has expired/);
  });
});

test('whatever text others stored as tag and type, the object is readable', async () => {
  const engine = server.kernel.services.get('engine');
  await client.send(new PutObjectCommand({ Bucket, Key: 'main/wild', Body: 'content' }));
  const { address, addressType } = await engine.getEntry(Bucket, 'main', 'wild');
  const repository = await engine.getRepository(Bucket);
  const staged = async (etag: string, contentType: string) => {
    await engine.stageEntry(repository, 'main', 'wild', { address, addressType, size: 7, etag, contentType, metadata: {} });
    const { Body, ETag, ContentType } = await client.send(new GetObjectCommand({ Bucket, Key: 'main/wild' }));
    assert.equal(await Body?.transformToString(), 'content');
    const list = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'main/wild' }));
    assert.equal(list.Contents?.length, 1);
    return [ETag, ContentType];
  };
  assert.deepEqual(await staged('\0a\r\nb\x7f', 'text/\nplain'), ['"ab"', 'text/plain']);
  const known = new HeadObjectCommand({ Bucket, Key: 'main/wild', IfNoneMatch: '"ab"' });
  assert.equal((await refusal(client.send(known)))[1], 304);
  // Node reads headers as latin-1.
  const bytes = (text: string) => Buffer.from(text).toString('latin1');
  assert.deepEqual(await staged('\u20ac', 'text/plain; name=\u20ac'), [bytes('"\u20ac"'), bytes('text/plain; name=\u20ac')]);
});
