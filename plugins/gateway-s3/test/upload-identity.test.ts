/** An upload belongs to the repository and the branch it was begun in, not to their names. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  S3ServiceException,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { ProtoWriter } from '@srv/lib-records';
import { decodeUpload, encodeUpload } from '../src/server/uploads/record.js';
import { s3Client } from './support/client.js';
import { createRepository, startServer } from './support/server.js';
import type { S3Client } from '@aws-sdk/client-s3';
import type { UploadRecord } from '../src/server/uploads/record.js';
import type { TestServer } from './support/server.js';

let server: TestServer;
let client: S3Client;

before(async () => {
  server = await startServer();
  client = s3Client(server);
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

interface Begun {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string;
  readonly ETag: string | undefined;
}

/** An upload with one part. */
async function begin(Bucket: string, Key: string): Promise<Begun> {
  const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const { ETag } = await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'part' }));
  return { Bucket, Key, UploadId, ETag };
}

const complete = ({ ETag, ...place }: Begun, Key = place.Key) =>
  client.send(new CompleteMultipartUploadCommand({ ...place, Key, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } }));

/** What every operation on an upload answers. */
async function answersOf(upload: Begun): Promise<Readonly<Record<string, string>>> {
  const { Bucket, Key, UploadId } = upload;
  const place = { Bucket, Key, UploadId };
  await client.send(new PutObjectCommand({ Bucket, Key: 'main/source', Body: 'x' }));
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
  return {
    listed: String(Uploads.some(listed => listed.UploadId === UploadId)),
    parts: await codeOf(client.send(new ListPartsCommand(place))),
    upload: await codeOf(client.send(new UploadPartCommand({ ...place, PartNumber: 2, Body: 'x' }))),
    copy: await codeOf(client.send(new UploadPartCopyCommand({ ...place, PartNumber: 2, CopySource: `${Bucket}/main/source` }))),
    complete: await codeOf(complete(upload)),
  };
}

const unknown = { listed: 'false', parts: 'NoSuchUpload', upload: 'NoSuchUpload', copy: 'NoSuchUpload', complete: 'NoSuchUpload' };
const known = { listed: 'true', parts: 'none', upload: 'none', copy: 'none', complete: 'none' };

const catalogOf = () => server.kernel.services.get('engine');

test('uploads of a deleted repository are unknown in a new one of its name', async () => {
  const engine = catalogOf();
  await createRepository(server, 'again');
  const upload = await begin('again', 'main/secret name');
  await engine.deleteRepository('again');
  await engine.createRepository({ id: 'again', storageNamespace: 'local://again-2' });
  assert.deepEqual(await answersOf(upload), unknown);
  assert.equal(await codeOf(client.send(new AbortMultipartUploadCommand(upload))), 'NoSuchUpload');
  assert.deepEqual(await answersOf(await begin('again', 'main/secret name')), known);
});

test('uploads of a deleted branch are unknown on a new one of its name', async () => {
  const engine = catalogOf();
  await createRepository(server, 'branched');
  await engine.createBranch('branched', 'work', 'main');
  const [upload, moved] = [await begin('branched', 'work/a'), await begin('branched', 'work/b')];
  await engine.deleteBranch('branched', 'work');
  assert.equal(await codeOf(complete(upload)), 'NoSuchBucket');
  await engine.createBranch('branched', 'work', 'main');
  assert.deepEqual(await answersOf(upload), unknown);
  // Parts can still be removed, and an upload can be completed on another branch.
  await client.send(new AbortMultipartUploadCommand(upload));
  await complete(moved, 'main/b');
  assert.deepEqual(await answersOf(await begin('branched', 'work/a')), known);
});

test('commits, merges and resets leave a branch the same one', async () => {
  const engine = catalogOf();
  await createRepository(server, 'moving');
  await engine.createBranch('moving', 'work', 'main');
  const upload = await begin('moving', 'work/a');
  await client.send(new PutObjectCommand({ Bucket: 'moving', Key: 'work/x', Body: 'x' }));
  await engine.commit('moving', 'work', { message: 'one', committer: 'test' });
  await client.send(new PutObjectCommand({ Bucket: 'moving', Key: 'main/y', Body: 'y' }));
  await engine.commit('moving', 'main', { message: 'two', committer: 'test' });
  await engine.merge('moving', 'main', 'work', { message: 'three', committer: 'test' });
  assert.deepEqual(await answersOf(upload), known);
});

/** Changes the record of an upload as it lies in the database. */
async function rewrite({ UploadId }: Begun, change: (record: UploadRecord) => Buffer): Promise<void> {
  const kv = server.kernel.services.get('kv');
  const found = await kv.get('multiparts', Buffer.from(UploadId));
  assert.ok(found);
  await kv.set('multiparts', Buffer.from(UploadId), change(decodeUpload(found.value)));
}

test('uploads of earlier releases can continue; those from before the repository are unknown', async () => {
  await createRepository(server, 'older');
  const upload = await begin('older', 'main/a');
  await rewrite(upload, record => encodeUpload({ ...record, repositoryUid: '', branchUid: '' }));
  assert.deepEqual(await answersOf(upload), known);
  const before = await begin('older', 'main/b');
  const long = new Date(Date.now() - 3_600_000);
  await rewrite(before, record => encodeUpload({ ...record, repositoryUid: '', branchUid: '', createdAt: long }));
  assert.deepEqual(await answersOf(before), unknown);
});

test('an upload that is completed keeps the fields of a newer release', async () => {
  await createRepository(server, 'newer');
  const upload = await begin('newer', 'main/a');
  const further = new ProtoWriter().string(150, 'from a newer release').finish();
  await rewrite(upload, record => Buffer.concat([encodeUpload(record), further]));
  await complete(upload);
  const found = await server.kernel.services.get('kv').get('multiparts', Buffer.from(upload.UploadId));
  assert.ok(found && decodeUpload(found.value).completed);
  assert.ok(found.value.includes(further));
});

test('uploads that another kind of server began are unknown', async () => {
  await createRepository(server, 'shared');
  const upload = await begin('shared', 'main/a');
  await rewrite(upload, ({ uploadId, path, address }) =>
    new ProtoWriter().string(1, uploadId).string(2, path).string(4, address).string(6, 'text/plain').finish(),
  );
  assert.deepEqual(await answersOf(upload), unknown);
  assert.equal(await codeOf(client.send(new AbortMultipartUploadCommand(upload))), 'NoSuchUpload');
});
