/** Checksums are kept with objects and given back; the SDK verifies what it reads with them. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import {
  AbortMultipartUploadCommand,
  ChecksumAlgorithm,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { SrvError } from '@srv/kernel';
import { collect, seededRandom } from '@srv/kernel/testing';
import { startChecksum } from '../src/server/body/checksum.js';
import { joinChecksums, joinableAs } from '../src/server/body/joined-checksum.js';
import { keepChecksum, keptChecksum } from '../src/server/protocol/stored-checksum.js';
import { s3Client } from './support/client.js';
import { accessKeyId, createRepository, secretAccessKey, startServer } from './support/server.js';
import { chosenTransport } from './support/transport.js';
import { turnsDuring } from './support/turns.js';
import type { ChecksumType, CompletedPart, CreateMultipartUploadCommandInput, S3Client } from '@aws-sdk/client-s3';
import type { TestServer } from './support/server.js';

const Bucket = 'repo';
const mebibyte = 1024 * 1024;
const algorithms = Object.values(ChecksumAlgorithm);
let server: TestServer;
let client: S3Client;
let unverifying: S3Client;

before(async () => {
  server = await startServer();
  client = s3Client(server);
  unverifying = s3Client(server, { responseChecksumValidation: 'WHEN_REQUIRED' });
  await createRepository(server, Bucket);
});
after(async () => {
  client.destroy();
  unverifying.destroy();
  await server.stop();
});

function digest(algorithm: string, bytes: Buffer): string {
  const running = startChecksum(`x-amz-checksum-${algorithm.toLowerCase()}`);
  running.update(bytes);
  return running.digest().toString('base64');
}

/** What HEAD says, under the names of the SDK. */
async function headOf(Key: string): Promise<Record<string, unknown>> {
  const head = await client.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
  return Object.fromEntries(Object.entries(head).filter(([name]) => name.startsWith('Checksum')));
}

/** The SDK verifies these alone. */
const verifiable: readonly string[] = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'];

/** Reads and, where there is a checksum of the whole, lets the SDK verify it, if it can. */
async function read(Key: string): Promise<Buffer> {
  const sums = Object.keys(await headOf(Key)).map(name => name.slice('Checksum'.length));
  const reader = sums.some(name => name !== 'Type' && !verifiable.includes(name)) ? unverifying : client;
  const { Body } = await reader.send(new GetObjectCommand({ Bucket, Key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

async function refusal(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'none',
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );
}

const partRecords = async (): Promise<number> => (await collect(server.kernel.services.get('kv').scan('multipart-checksums'))).length;

test('checksums of parts join to that of the whole', async () => {
  const random = seededRandom();
  for (let round = 0; round < 40; round++) {
    const sizes = Array.from({ length: 1 + random.below(6) }, () => random.below(3000));
    const bodies = sizes.map(size => randomBytes(size));
    for (const algorithm of ['crc32', 'crc32c', 'crc64nvme']) {
      const parts = bodies.map(body => ({ value: digest(algorithm, body), size: body.length }));
      const { value } = await joinChecksums(algorithm, 'FULL_OBJECT', parts);
      assert.equal(value, digest(algorithm, Buffer.concat(bodies)), `${algorithm} of ${sizes.join(' ')}, seed ${random.seed}`);
    }
    const parts = bodies.map(body => ({ value: digest('sha256', body), size: body.length }));
    const composite = digest('sha256', Buffer.concat(parts.map(({ value }) => Buffer.from(value, 'base64'))));
    assert.equal((await joinChecksums('sha256', 'COMPOSITE', parts)).value, `${composite}-${parts.length}`);
  }
});

test('ten thousand parts join, and others get their turn meanwhile', async () => {
  const size = 5 * mebibyte;
  const part = { value: digest('crc64nvme', Buffer.alloc(size)), size };
  const joined = async (many: number) => (await joinChecksums('crc64nvme', 'FULL_OBJECT', Array<typeof part>(many).fill(part))).value;
  const halves = [
    { value: await joined(6000), size: 6000 * size },
    { value: await joined(4000), size: 4000 * size },
  ];
  let whole = '';
  const turns = await turnsDuring(async () => {
    whole = await joined(10_000);
  });
  assert.equal(whole, (await joinChecksums('crc64nvme', 'FULL_OBJECT', halves)).value);
  assert.ok(turns >= 5, `${turns} turns`);
});

test('how an algorithm can be joined', () => {
  const table = ['crc32', 'crc32c', 'crc64nvme', 'sha1', 'xxhash3', 'md4', '__proto__'].map(name => joinableAs(name).join(' '));
  assert.deepEqual(table, ['COMPOSITE FULL_OBJECT', 'COMPOSITE FULL_OBJECT', 'FULL_OBJECT', 'COMPOSITE', 'COMPOSITE', '', '']);
});

test('a stored checksum counts for its content only, and only in its form', () => {
  const checksum = { type: 'FULL_OBJECT', algorithm: 'crc32', value: 'AAAAAA==' } as const;
  const metadata = keepChecksum(checksum, 'abc');
  assert.deepEqual(metadata, { 'X-Amz-Checksum': 'FULL_OBJECT crc32 AAAAAA== abc' });
  assert.deepEqual(keptChecksum({ metadata, etag: 'abc' }), checksum);
  assert.equal(keptChecksum({ metadata, etag: 'abd' }), undefined);
  for (const text of [
    '',
    'x',
    'FULL_OBJECT md4 AAAAAA== abc',
    'FULL_OBJECT crc32 A\r\nB abc',
    'PART crc32 AAAAAA== abc',
    'FULL_OBJECT crc32 AAAAAA==',
  ])
    assert.equal(keptChecksum({ metadata: { 'X-Amz-Checksum': text }, etag: 'abc' }), undefined, text);
});

describe('objects in one piece', () => {
  for (const algorithm of algorithms) {
    test(`${algorithm} is given back`, async () => {
      const Key = `main/${algorithm}`;
      const Body = randomBytes(100_000);
      // Given, since the SDK does not compute all of them.
      const sum = { [`Checksum${algorithm}`]: digest(algorithm, Body) };
      await client.send(new PutObjectCommand({ Bucket, Key, Body, ...sum, Metadata: { own: 'word' } }));
      const wrong = { [`Checksum${algorithm}`]: digest(algorithm, Buffer.from('other')) };
      assert.equal(await refusal(client.send(new PutObjectCommand({ Bucket, Key, Body, ...wrong }))), 'BadDigest');
      const wanted = { [`Checksum${algorithm}`]: digest(algorithm, Body), ChecksumType: 'FULL_OBJECT' };
      assert.deepEqual(await headOf(Key), wanted);
      assert.deepEqual(await read(Key), Body);
      const head = await client.send(new HeadObjectCommand({ Bucket, Key }));
      assert.deepEqual(head.Metadata, { own: 'word' });
      const { Checksum } = await client.send(new GetObjectAttributesCommand({ Bucket, Key, ObjectAttributes: ['Checksum', 'ETag'] }));
      assert.deepEqual(Checksum, wanted);
    });
  }

  test('one that came in the trailer, too', async () => {
    const Key = 'main/trailer';
    const bytes = randomBytes(300_000);
    await client.send(new PutObjectCommand({ Bucket, Key, Body: Readable.from([bytes]), ContentLength: bytes.length }));
    assert.deepEqual(await headOf(Key), { ChecksumCRC32: digest('CRC32', bytes), ChecksumType: 'FULL_OBJECT' });
    assert.deepEqual(await read(Key), bytes);
  });

  test('not without being asked, not for ranges, not where none was sent', async () => {
    const Key = 'main/CRC32';
    const plain = s3Client(server, { requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' });
    const unasked = await plain.send(new HeadObjectCommand({ Bucket, Key }));
    const range = await client.send(new GetObjectCommand({ Bucket, Key, Range: 'bytes=0-9', ChecksumMode: 'ENABLED' }));
    const part = await client.send(new HeadObjectCommand({ Bucket, Key, PartNumber: 1, ChecksumMode: 'ENABLED' }));
    for (const answer of [unasked, range]) assert.deepEqual([answer.ChecksumCRC32, answer.ChecksumType], [undefined, undefined]);
    // The one part of an object that was sent in one piece is the whole.
    assert.notEqual(part.ChecksumCRC32, undefined);
    await range.Body?.transformToByteArray();
    await plain.send(new PutObjectCommand({ Bucket, Key: 'main/none', Body: 'x' }));
    assert.deepEqual(await headOf('main/none'), {});
    const { Checksum, ETag } = await client.send(
      new GetObjectAttributesCommand({ Bucket, Key: 'main/none', ObjectAttributes: ['Checksum', 'ETag'] }),
    );
    assert.equal(Checksum, undefined);
    assert.ok(ETag);
    plain.destroy();
  });

  test('copies keep it, whatever becomes of the metadata', async () => {
    const Body = 'to be copied';
    const wanted = digest('SHA256', Buffer.from(Body));
    await client.send(new PutObjectCommand({ Bucket, Key: 'main/from', Body, ChecksumAlgorithm: 'SHA256' }));
    for (const rest of [{}, { MetadataDirective: 'REPLACE' as const, Metadata: { other: 'word' } }]) {
      const { CopyObjectResult } = await client.send(
        new CopyObjectCommand({ Bucket, Key: 'main/to', CopySource: `${Bucket}/main/from`, ...rest }),
      );
      assert.deepEqual([CopyObjectResult?.ChecksumSHA256, CopyObjectResult?.ChecksumType], [wanted, 'FULL_OBJECT']);
      assert.deepEqual(await headOf('main/to'), { ChecksumSHA256: wanted, ChecksumType: 'FULL_OBJECT' });
      assert.equal((await read('main/to')).toString(), Body);
    }
  });

  test('copies get the one that is asked for', async () => {
    const Body = randomBytes(300_000);
    await client.send(new PutObjectCommand({ Bucket, Key: 'main/from', Body, ChecksumAlgorithm: 'SHA256' }));
    for (const algorithm of algorithms) {
      const wanted = digest(algorithm, Body);
      for (const Key of ['main/to', 'main/from']) {
        const copied = await client.send(
          new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/main/from`, ChecksumAlgorithm: algorithm }),
        );
        const result: Record<string, unknown> = { ...copied.CopyObjectResult };
        assert.deepEqual([result[`Checksum${algorithm}`], result['ChecksumType']], [wanted, 'FULL_OBJECT'], Key);
        assert.deepEqual(await headOf(Key), { [`Checksum${algorithm}`]: wanted, ChecksumType: 'FULL_OBJECT' });
      }
      assert.ok((await read('main/to')).equals(Body));
    }
    const unknown = new CopyObjectCommand({ Bucket, Key: 'main/to', CopySource: `${Bucket}/main/from`, ChecksumAlgorithm: 'MD4' as 'MD5' });
    assert.equal(await refusal(client.send(unknown)), 'InvalidRequest');
  });

  test('the client does verify: it refuses a content that does not fit', async () => {
    const Key = 'main/spoilt';
    await client.send(new PutObjectCommand({ Bucket, Key, Body: 'content' }));
    const engine = server.kernel.services.get('engine');
    const { etag } = await engine.getEntry(Bucket, 'main', 'spoilt');
    const wrong = { type: 'FULL_OBJECT', algorithm: 'crc32', value: digest('CRC32', Buffer.from('other')) } as const;
    await engine.setObjectMetadata(Bucket, 'main', 'spoilt', keepChecksum(wrong, etag));
    await assert.rejects(read(Key), /[Cc]hecksum/);
    // Metadata that was copied from other content does not count.
    await engine.setObjectMetadata(Bucket, 'main', 'spoilt', keepChecksum(wrong, '0'.repeat(32)));
    assert.equal((await read(Key)).toString(), 'content');
    assert.deepEqual(await headOf(Key), {});
  });

  test('the HTTP API shows it among the metadata, under one name', async () => {
    await client.send(new PutObjectCommand({ Bucket, Key: 'main/shown', Body: 'content', Metadata: { own: 'word' } }));
    const authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString('base64')}`;
    const answer = await fetch(`${server.url}/api/v1/repositories/${Bucket}/refs/main/objects/stat?path=shown`, {
      headers: { authorization },
    });
    const { metadata, checksum } = (await answer.json()) as { metadata: Record<string, string>; checksum: string };
    assert.deepEqual(metadata, {
      'X-Amz-Meta-own': 'word',
      'X-Amz-Checksum': `FULL_OBJECT crc32 ${digest('CRC32', Buffer.from('content'))} ${checksum}`,
    });
  });
});

describe('objects in parts', () => {
  const bodies = [randomBytes(5 * mebibyte), randomBytes(5 * mebibyte + 7), randomBytes(1000)];
  const whole = Buffer.concat(bodies);

  const begin = async (Key: string, rest: Partial<CreateMultipartUploadCommandInput>) => {
    const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key, ...rest }));
    return UploadId;
  };
  const send = async (Key: string, UploadId: string, algorithm?: ChecksumAlgorithm): Promise<CompletedPart[]> => {
    const parts: CompletedPart[] = [];
    for (const [i, Body] of bodies.entries()) {
      const sum = algorithm ? { [`Checksum${algorithm}`]: digest(algorithm, Body) } : {};
      const command = new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: i + 1, Body, ...sum });
      const { $metadata: _, ...sent } = await client.send(command);
      parts.push({ PartNumber: i + 1, ...sent });
    }
    return parts;
  };
  const complete = (Key: string, UploadId: string, Parts: CompletedPart[], rest: object = {}) =>
    client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts }, ...rest }));
  const joined = (algorithm: string, type: ChecksumType): string => {
    if (type === 'FULL_OBJECT') return digest(algorithm, whole);
    return `${digest(algorithm, Buffer.concat(bodies.map(body => Buffer.from(digest(algorithm, body), 'base64'))))}-${bodies.length}`;
  };

  for (const [algorithm, type, asked] of [
    ['CRC32', 'COMPOSITE', undefined],
    ['CRC32C', 'FULL_OBJECT', 'FULL_OBJECT'],
    ['CRC64NVME', 'FULL_OBJECT', undefined],
    ['SHA256', 'COMPOSITE', 'COMPOSITE'],
    // Algorithms and transports are independent: in the clear all of them, elsewhere one of each kind above.
    ...(chosenTransport() === 'clear' ? (['SHA1', 'SHA512', 'MD5', 'XXHASH64', 'XXHASH3', 'XXHASH128'] as const) : []).map(
      name => [name, 'COMPOSITE', undefined] as const,
    ),
  ] as const) {
    test(`${algorithm} as ${type}, ${asked ? 'asked for' : 'by default'}`, async () => {
      const Key = `main/parts of ${algorithm}`;
      const UploadId = await begin(Key, { ChecksumAlgorithm: algorithm, ChecksumType: asked });
      const parts = await send(Key, UploadId, algorithm);
      assert.equal(await partRecords(), bodies.length);
      const wanted = joined(algorithm, type);
      const answer: Record<string, unknown> = { ...(await complete(Key, UploadId, parts, { [`Checksum${algorithm}`]: wanted })) };
      assert.deepEqual([answer[`Checksum${algorithm}`], answer['ChecksumType']], [wanted, type]);
      assert.deepEqual(await headOf(Key), { [`Checksum${algorithm}`]: wanted, ChecksumType: type });
      assert.ok((await read(Key)).equals(whole));
      assert.equal(await partRecords(), 0, 'nothing is left of the parts');
      await client.send(new CopyObjectCommand({ Bucket, Key: 'main/copied parts', CopySource: encodeURI(`${Bucket}/${Key}`) }));
      assert.equal((await headOf('main/copied parts'))[`Checksum${algorithm}`], wanted);
    });
  }

  test('without an algorithm of the upload, what all parts came with counts', async () => {
    const Key = 'main/undeclared';
    const UploadId = await begin(Key, {});
    await complete(Key, UploadId, await send(Key, UploadId));
    const head = await headOf(Key);
    assert.deepEqual(head, { ChecksumCRC32: joined('CRC32', 'FULL_OBJECT'), ChecksumType: 'FULL_OBJECT' });
    assert.ok((await read(Key)).equals(whole));
  });

  test('rejects claims that do not match, and the upload can continue', async () => {
    const Key = 'main/claims';
    const UploadId = await begin(Key, { ChecksumAlgorithm: 'CRC32' });
    const parts = await send(Key, UploadId, 'CRC32');
    const spoilt = parts.map((part, i) => (i === 1 ? { ...part, ChecksumCRC32: 'AAAAAA==' } : part));
    assert.equal(await refusal(complete(Key, UploadId, spoilt)), 'InvalidPart');
    assert.equal(await refusal(complete(Key, UploadId, parts, { ChecksumCRC32: 'AAAAAA==-3' })), 'BadDigest');
    assert.equal(await refusal(complete(Key, UploadId, parts, { ChecksumSHA1: digest('SHA1', whole) })), 'InvalidRequest');
    await complete(Key, UploadId, parts, { ChecksumCRC32: joined('CRC32', 'COMPOSITE') });
    assert.ok((await read(Key)).equals(whole));
  });

  test('rejects claims that cannot be verified, whatever the parts were sent with', async () => {
    const plain = s3Client(server, { requestChecksumCalculation: 'WHEN_REQUIRED' });
    const Key = 'main/unverified';
    const values = (algorithm: ChecksumAlgorithm): readonly (readonly [string, string, string])[] => [
      [algorithm, 'bad', 'InvalidRequest'],
      [algorithm, digest(algorithm, Buffer.from('other')), 'InvalidRequest'],
      // Even a correct one: the bytes have not been checked.
      [algorithm, digest(algorithm, whole), 'InvalidRequest'],
    ];
    const sendPlain = async (UploadId: string): Promise<CompletedPart[]> => {
      const parts: CompletedPart[] = [];
      for (const [i, Body] of bodies.entries()) {
        const PartNumber = i + 1;
        const { ETag } = await plain.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }));
        parts.push({ PartNumber, ETag });
      }
      return parts;
    };
    for (const declared of [undefined, 'CRC32'] as const) {
      const UploadId = await begin(Key, declared ? { ChecksumAlgorithm: declared, ChecksumType: 'FULL_OBJECT' } : {});
      const parts = await sendPlain(UploadId);
      for (const [algorithm, value, code] of [...values('CRC32'), ...values('SHA256')])
        assert.equal(await refusal(complete(Key, UploadId, parts, { [`Checksum${algorithm}`]: value })), code, `${algorithm} ${value}`);
      for (const [name, value] of [
        ['ChecksumCRC32', 'wrong'],
        ['ChecksumCRC32', digest('CRC32', bodies[0] ?? whole)],
        ['ChecksumSHA256', digest('SHA256', bodies[0] ?? whole)],
        ['ChecksumXXHASH64', 'AAAAAAAAAAA='],
      ])
        assert.equal(
          await refusal(complete(Key, UploadId, [{ ...parts[0], [name ?? '']: value }, ...parts.slice(1)])),
          'InvalidPart',
          `${name} ${value}`,
        );
      const why = complete(Key, UploadId, parts, { ChecksumCRC32: digest('CRC32', whole) });
      await assert.rejects(why, /cannot be verified.* part 1 .*Upload .* or complete the upload without/s);
      await complete(Key, UploadId, parts);
      assert.deepEqual(await headOf(Key), {});
      assert.ok((await read(Key)).equals(whole));
    }
    plain.destroy();
  });

  test('claims of another algorithm, type or size than that of the upload are refused', async () => {
    const Key = 'main/other claims';
    const UploadId = await begin(Key, { ChecksumAlgorithm: 'CRC32' });
    const parts = await send(Key, UploadId, 'CRC32');
    const wanted = joined('CRC32', 'COMPOSITE');
    const refused = (rest: object): Promise<string> => refusal(complete(Key, UploadId, parts, rest));
    const sha256 = digest('SHA256', bodies[0] ?? whole);
    assert.equal(await refusal(complete(Key, UploadId, [{ ...parts[0], ChecksumSHA256: sha256 }, ...parts.slice(1)])), 'InvalidPart');
    for (const value of ['bad', `${wanted}-3`, `${wanted.slice(0, -2)}-x`, wanted.slice(1)])
      assert.equal(await refused({ ChecksumCRC32: value }), 'InvalidRequest', value);
    assert.equal(await refused({ ChecksumCRC32: wanted, ChecksumSHA1: digest('SHA1', whole) }), 'InvalidRequest');
    assert.equal(await refused({ ChecksumCRC32: wanted, ChecksumType: 'FULL_OBJECT' }), 'BadDigest');
    assert.equal(await refused({ ChecksumType: 'FULL_OBJECT' }), 'BadDigest');
    assert.equal(await refused({ ChecksumCRC32: wanted.replace(/\d+$/, '4') }), 'BadDigest');
    assert.equal(await refused({ MpuObjectSize: whole.length + 1 }), 'InvalidRequest');
    await complete(Key, UploadId, parts, { ChecksumCRC32: wanted, ChecksumType: 'COMPOSITE', MpuObjectSize: whole.length });
    assert.deepEqual(await headOf(Key), { ChecksumCRC32: wanted, ChecksumType: 'COMPOSITE' });
    // A repeated request may not claim anything malformed either.
    assert.equal(await refused({ ChecksumCRC32: 'bad' }), 'InvalidRequest');
  });

  test('a claim of the whole with parts of a copy is refused with what to do', async () => {
    const Key = 'main/claimed copy';
    await client.send(new PutObjectCommand({ Bucket, Key: 'main/claim source', Body: 'source' }));
    const UploadId = await begin(Key, {});
    const { CopyPartResult } = await client.send(
      new UploadPartCopyCommand({ Bucket, Key, UploadId, PartNumber: 1, CopySource: `${Bucket}/main/claim source` }),
    );
    const parts = [{ PartNumber: 1, ETag: CopyPartResult?.ETag }];
    const ChecksumCRC64NVME = digest('CRC64NVME', Buffer.from('source'));
    await assert.rejects(complete(Key, UploadId, parts, { ChecksumCRC64NVME }), { name: 'InvalidRequest', message: /copied parts/ });
    await complete(Key, UploadId, parts);
  });

  test('a request that continues where another stopped after joining the parts knows as much as that one', async t => {
    const block = server.kernel.services.get('block');
    const real = block.completeMultipart.bind(block);
    for (const [algorithm, type] of [
      ['CRC64NVME', 'FULL_OBJECT'],
      ['SHA256', 'COMPOSITE'],
    ] as const) {
      const Key = `main/joined before ${algorithm}`;
      const UploadId = await begin(Key, { ChecksumAlgorithm: algorithm });
      const parts = await send(Key, UploadId, algorithm);
      const mock = t.mock.method(block, 'completeMultipart', async (...given: Parameters<typeof real>) => {
        mock.mock.restore();
        await real(...given);
        throw new SrvError('unavailable', 'the server dies');
      });
      assert.equal(await refusal(complete(Key, UploadId, parts)), 'ServiceUnavailable');
      const answer: Record<string, unknown> = { ...(await complete(Key, UploadId, parts)) };
      const wanted = { [`Checksum${algorithm}`]: joined(algorithm, type), ChecksumType: type };
      assert.deepEqual({ [`Checksum${algorithm}`]: answer[`Checksum${algorithm}`], ChecksumType: answer['ChecksumType'] }, wanted);
      assert.deepEqual(await headOf(Key), wanted);
      const second = await client.send(new HeadObjectCommand({ Bucket, Key, PartNumber: 2 }));
      assert.deepEqual([second.ContentLength, second.PartsCount], [bodies[1]?.length, bodies.length]);
      assert.equal(await partRecords(), 0);
    }
  });

  test('a part without one, or sent again without one, leaves the object without', async () => {
    const Key = 'main/mixed';
    const plain = s3Client(server, { requestChecksumCalculation: 'WHEN_REQUIRED' });
    const UploadId = await begin(Key, { ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' });
    const parts = await send(Key, UploadId, 'CRC32');
    const again = randomBytes(2000);
    const { ETag } = await plain.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 3, Body: again }));
    await complete(Key, UploadId, [...parts.slice(0, 2), { PartNumber: 3, ETag }]);
    assert.deepEqual(await headOf(Key), {});
    assert.ok((await read(Key)).equals(Buffer.concat([...bodies.slice(0, 2), again])));
    plain.destroy();

    const copied = await begin(Key, {});
    const { CopyPartResult } = await client.send(
      new UploadPartCopyCommand({ Bucket, Key, UploadId: copied, PartNumber: 1, CopySource: `${Bucket}/main/CRC32` }),
    );
    await complete(Key, copied, [{ PartNumber: 1, ETag: CopyPartResult?.ETag }]);
    assert.deepEqual(await headOf(Key), {});
  });

  test('copied parts get that of the upload, whatever the source has', async () => {
    await client.send(new PutObjectCommand({ Bucket, Key: 'main/to be parts', Body: whole }));
    const ends = bodies.map((_, i) => bodies.slice(0, i + 1).reduce((sum, body) => sum + body.length, 0));
    for (const [algorithm, type] of [
      ['CRC64NVME', 'FULL_OBJECT'],
      ['CRC32', 'FULL_OBJECT'],
      ['SHA256', 'COMPOSITE'],
      ['XXHASH128', 'COMPOSITE'],
    ] as const) {
      const Key = `main/copied by ${algorithm}`;
      const UploadId = await begin(Key, { ChecksumAlgorithm: algorithm, ChecksumType: type });
      const parts: CompletedPart[] = [];
      for (const [i, body] of bodies.entries()) {
        const PartNumber = i + 1;
        const CopySourceRange = `bytes=${(ends[i] ?? 0) - body.length}-${(ends[i] ?? 0) - 1}`;
        const CopySource = `${Bucket}/main/to be parts`;
        const command = new UploadPartCopyCommand({ Bucket, Key, UploadId, PartNumber, CopySource, CopySourceRange });
        const { CopyPartResult = {} } = await client.send(command);
        const { LastModified: _, ...part } = CopyPartResult;
        const sum: Record<string, unknown> = { ...part };
        assert.equal(sum[`Checksum${algorithm}`], digest(algorithm, body));
        parts.push({ PartNumber, ...part });
      }
      await complete(Key, UploadId, parts, { [`Checksum${algorithm}`]: joined(algorithm, type) });
      assert.deepEqual(await headOf(Key), { [`Checksum${algorithm}`]: joined(algorithm, type), ChecksumType: type });
      assert.ok((await read(Key)).equals(whole));
    }
  });

  test('a part with the checksum of another algorithm is refused before it is stored', async () => {
    const Key = 'main/other algorithm';
    for (const type of ['FULL_OBJECT', 'COMPOSITE'] as const) {
      const UploadId = await begin(Key, { ChecksumAlgorithm: 'CRC32C', ChecksumType: type });
      const place = { Bucket, Key, UploadId, PartNumber: 1, Body: 'part' };
      for (const rest of [{}, { ChecksumAlgorithm: 'SHA256' as const }, { ChecksumXXHASH3: digest('XXHASH3', Buffer.from('part')) }])
        await assert.rejects(client.send(new UploadPartCommand({ ...place, ...rest })), {
          name: 'InvalidRequest',
          message: /expected checksum Type: crc32c, actual checksum Type: /,
        });
      const { Parts } = await client.send(new ListPartsCommand({ Bucket, Key, UploadId }));
      assert.equal(Parts, undefined);
      await client.send(new UploadPartCommand({ ...place, ChecksumAlgorithm: 'CRC32C' }));
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    }
  });

  test('a composite one needs that of every part in the list', async () => {
    const Key = 'main/unlisted';
    const UploadId = await begin(Key, { ChecksumAlgorithm: 'SHA256' });
    const parts = await send(Key, UploadId, 'SHA256');
    const bare = parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag }));
    for (const list of [bare, [...parts.slice(0, 2), ...bare.slice(2)]]) {
      const missing = list.findIndex(part => !('ChecksumSHA256' in part)) + 1;
      await assert.rejects(complete(Key, UploadId, list), {
        name: 'InvalidRequest',
        message: new RegExp(`must include the checksum for each part. It was missing for part ${missing} in the request`),
      });
    }
    await complete(Key, UploadId, parts);
    assert.deepEqual(await headOf(Key), { ChecksumSHA256: joined('SHA256', 'COMPOSITE'), ChecksumType: 'COMPOSITE' });
  });

  test('an upload that is aborted leaves nothing behind', async () => {
    const Key = 'main/aborted';
    const UploadId = await begin(Key, { ChecksumAlgorithm: 'CRC32' });
    await send(Key, UploadId, 'CRC32');
    assert.equal(await partRecords(), bodies.length);
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    assert.equal(await partRecords(), 0);
  });

  test('rejects impossible combinations at the beginning', async () => {
    const refused = (rest: object) => refusal(begin('main/refused', rest));
    assert.equal(await refused({ ChecksumAlgorithm: 'MD4' }), 'InvalidRequest');
    assert.equal(await refused({ ChecksumAlgorithm: 'SHA256', ChecksumType: 'FULL_OBJECT' }), 'InvalidRequest');
    assert.equal(await refused({ ChecksumAlgorithm: 'CRC64NVME', ChecksumType: 'COMPOSITE' }), 'InvalidRequest');
    assert.equal(await refused({ ChecksumType: 'FULL_OBJECT' }), 'InvalidRequest');
  });
});
