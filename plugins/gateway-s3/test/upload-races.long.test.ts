/**
 * Two callers at every step of a multipart upload, on two servers that share one database and one block store, in random
 * schedules. `SRV_TEST_SEED=<n>` repeats a run.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  S3ServiceException,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { s3Client } from './support/client.js';
import { jittery } from './support/jitter.js';
import { Random } from './support/random.js';
import { createRepository, startServer, storedFiles } from './support/server.js';
import type { S3Client } from '@aws-sdk/client-s3';
import type { TestServer } from './support/server.js';

const seed = Number(process.env.SRV_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
const random = new Random(seed);
const Bucket = 'repo';
const mebibyte = 1 << 20;
const large = Buffer.alloc(5 * mebibyte, 'large');
const copied = Buffer.from('what is copied');

let servers: [TestServer, TestServer];
let clients: [S3Client, S3Client];
/** Files of objects and parts that belong there. */
let kept = 0;

before(async () => {
  const secrets = { 'auth.encrypt.secret_key': 'a key both servers use' };
  const first = await startServer(secrets, stores => ({ kv: jittery(stores.kv, random), block: jittery(stores.block, random) }));
  const { services } = first.kernel;
  const [kv, block] = [services.get('kv'), services.get('block')];
  const second = await startServer(secrets, own => ({ kv: sharing(kv, own.kv), block: sharing(block, own.block) }));
  servers = [first, second];
  clients = [s3Client(first), s3Client(second)];
  await createRepository(first, Bucket);
  await clients[0].send(new PutObjectCommand({ Bucket, Key: 'main/source', Body: copied }));
});
after(async () => {
  for (const client of clients) client.destroy();
  for (const server of servers.toReversed()) await server.stop();
});

/** The store of another server; closing it closes one's own. */
function sharing<T extends { close(): Promise<void> }>(store: T, own: T): T {
  return new Proxy(store, {
    get: (target, name) => (name === 'close' ? () => own.close() : (Reflect.get(target, name, target) as unknown)),
  });
}

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

interface Upload {
  readonly Key: string;
  readonly UploadId: string;
  /** Content of part 1 and 2 as first sent. */
  readonly bodies: readonly [Buffer, Buffer];
}

interface Outcome {
  readonly step: Step;
  /** Error code; empty after success. */
  readonly code: string;
  readonly etag: string;
  readonly checksum: string | undefined;
}

const steps = ['complete both', 'complete first', 'complete second', 'abort', 'send', 'copy', 'list'] as const;
type Step = (typeof steps)[number];

async function begin(client: S3Client, isLarge: boolean): Promise<Upload> {
  const Key = `main/upload-${random.below(2 ** 31)}`;
  const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const bodies = [isLarge ? large : Buffer.from(`first ${Key}`), Buffer.from(`second of ${Key}`)] as const;
  for (const [i, Body] of bodies.entries()) await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: i + 1, Body }));
  return { Key, UploadId, bodies };
}

function listOf({ bodies }: Upload, step: Step): number[] {
  return step === 'complete both' ? bodies.map((_, i) => i + 1) : [step === 'complete first' ? 1 : 2];
}

async function run(client: S3Client, upload: Upload, step: Step): Promise<Outcome> {
  const { Key, UploadId, bodies } = upload;
  const which = { Bucket, Key, UploadId };
  let [etag, checksum]: [string, string | undefined] = ['', undefined];
  try {
    if (step === 'abort') await client.send(new AbortMultipartUploadCommand(which));
    else if (step === 'send')
      await client.send(new UploadPartCommand({ ...which, PartNumber: 1, Body: Buffer.alloc(bodies[0].length, String(random.below(10))) }));
    else if (step === 'copy')
      await client.send(new UploadPartCopyCommand({ ...which, PartNumber: 2, CopySource: `${Bucket}/main/source` }));
    else if (step === 'list') await client.send(new ListPartsCommand(which));
    else {
      const Parts = listOf(upload, step).map(n => ({ PartNumber: n, ETag: md5(bodies[n - 1] ?? Buffer.alloc(0)) }));
      const done = await client.send(new CompleteMultipartUploadCommand({ ...which, MultipartUpload: { Parts } }));
      [etag, checksum] = [done.ETag ?? '', done.ChecksumCRC32];
    }
    return { step, code: '', etag, checksum };
  } catch (error) {
    if (!(error instanceof S3ServiceException)) throw error;
    const { httpStatusCode = 0 } = error.$metadata;
    assert.ok(httpStatusCode < 500 && httpStatusCode > 0, `${step}: ${httpStatusCode} ${error.name}`);
    return { step, code: error.name, etag: '', checksum: undefined };
  }
}

/** What must hold for every order. Ends the upload if no request did. */
async function check(upload: Upload, outcomes: readonly Outcome[]): Promise<void> {
  const { Key, UploadId, bodies } = upload;
  const said = JSON.stringify(outcomes);
  for (const { code, step } of outcomes) {
    const allowed = step.startsWith('complete') ? ['', 'NoSuchUpload', 'InvalidPart', 'EntityTooSmall'] : ['', 'NoSuchUpload'];
    assert.ok(allowed.includes(code), `${step} answered ${code}: ${said}`);
  }
  const completed = outcomes.filter(({ step, code }) => step.startsWith('complete') && code === '');
  const aborted = outcomes.some(({ step, code }) => step === 'abort' && code === '');
  assert.ok(completed.length === 0 || !aborted, `both completed and aborted: ${said}`);
  const [first] = completed;
  if (first) {
    assert.ok(
      completed.every(({ etag, checksum }) => etag === first.etag && checksum === first.checksum),
      `two answers: ${said}`,
    );
    const parts = listOf(upload, first.step).map(n => bodies[n - 1] ?? Buffer.alloc(0));
    const found = await clients[0].send(new GetObjectCommand({ Bucket, Key }));
    const content = Buffer.from((await found.Body?.transformToByteArray()) ?? []);
    assert.equal(md5(content), md5(Buffer.concat(parts)), `other bytes than those listed: ${said}`);
    assert.deepEqual([found.ContentLength, found.ETag], [content.length, first.etag]);
    assert.equal(first.etag, `"${md5(Buffer.concat(parts.map(part => Buffer.from(md5(part), 'hex'))))}-${parts.length}"`);
    kept++;
  } else {
    if (!aborted) await clients[0].send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    await assert.rejects(clients[0].send(new GetObjectCommand({ Bucket, Key })), { name: 'NoSuchKey' });
  }
  assert.equal((await run(clients[1], upload, 'send')).code, 'NoSuchUpload');
  assert.equal(storedFiles(servers[0]).length, kept, `files are left: ${said}`);
  for await (const page of servers[0].kernel.services.get('kv').scan('multipart-checksums'))
    assert.deepEqual(page, [], `checksums of parts are left: ${said}`);
}

describe(`two callers of one upload (SRV_TEST_SEED=${seed})`, () => {
  for (const [i, one] of steps.entries()) {
    for (const other of steps.slice(i)) {
      test(`${one}, and ${other}`, async () => {
        kept = storedFiles(servers[0]).length;
        for (let round = 0; round < 3; round++) {
          const upload = await begin(clients[0], one === 'complete both');
          await check(upload, await Promise.all([run(clients[0], upload, one), run(clients[round % 2 === 0 ? 0 : 1], upload, other)]));
        }
      });
    }
  }

  test('whole schedules', async () => {
    kept = storedFiles(servers[0]).length;
    for (let round = 0; round < 15; round++) {
      const upload = await begin(random.pick(clients), random.chance(0.2));
      const caller = async (): Promise<Outcome[]> => {
        const outcomes: Outcome[] = [];
        const client = random.pick(clients);
        for (let left = 1 + random.below(3); left > 0; left--) outcomes.push(await run(client, upload, random.pick(steps)));
        return outcomes;
      };
      await check(upload, (await Promise.all([caller(), caller()])).flat());
    }
  });
});
