/** What users with few rights may do. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3ServiceException,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { s3Client } from './support/client.js';
import { createRepository, startServer, storedFiles } from './support/server.js';
import type { S3Client } from '@aws-sdk/client-s3';
import type { TestServer } from './support/server.js';

let server: TestServer;
let admin: S3Client;
let limited: S3Client;
let nobody: S3Client;
const repo = 'arn:lakefs:fs:::repository/repo';

before(async () => {
  server = await startServer({ 'auth.ui_config.rbac': 'internal' });
  const auth = server.kernel.services.get('auth');
  for (const id of ['repo', 'secret']) await createRepository(server, id);
  await auth.createPolicy('limited', [
    { effect: 'allow', action: ['fs:ListObjects', 'fs:ReadRepository', 'fs:ListRepositories'], resource: repo },
    { effect: 'allow', action: ['fs:ReadObject', 'fs:WriteObject', 'fs:DeleteObject'], resource: `${repo}/object/mine/*` },
  ]);
  const keys = await Promise.all(
    ['limited', 'nobody'].map(async username => {
      await auth.createUser({ username });
      return auth.createCredential(username);
    }),
  );
  await auth.attachToUser('limited', 'limited');
  admin = s3Client(server);
  [limited, nobody] = keys.map(credentials => s3Client(server, { credentials })) as [S3Client, S3Client];
  for (const Key of ['main/mine/a', 'main/others/b']) await admin.send(new PutObjectCommand({ Bucket: 'repo', Key, Body: 'x' }));
});
after(async () => {
  for (const client of [admin, limited, nobody]) client.destroy();
  await server.stop();
});

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'ok';
  } catch (error) {
    if (error instanceof S3ServiceException) return error.$metadata.httpStatusCode === 403 ? 'AccessDenied' : error.name;
    throw error;
  }
}

const Bucket = 'repo';

test('objects by path, on every branch', async () => {
  await limited.send(new GetObjectCommand({ Bucket, Key: 'main/mine/a' }));
  await limited.send(new PutObjectCommand({ Bucket, Key: 'main/mine/c', Body: 'x' }));
  await limited.send(new DeleteObjectCommand({ Bucket, Key: 'main/mine/c' }));
  const before = storedFiles(server).length;
  assert.equal(await codeOf(limited.send(new GetObjectCommand({ Bucket, Key: 'main/others/b' }))), 'AccessDenied');
  assert.equal(await codeOf(limited.send(new PutObjectCommand({ Bucket, Key: 'main/others/c', Body: 'x' }))), 'AccessDenied');
  assert.equal(await codeOf(limited.send(new DeleteObjectCommand({ Bucket, Key: 'main/others/b' }))), 'AccessDenied');
  assert.equal(await codeOf(limited.send(new CreateMultipartUploadCommand({ Bucket, Key: 'main/others/c' }))), 'AccessDenied');
  assert.equal(storedFiles(server).length, before);
});

test('copies need both ends', async () => {
  const copy = (from: string, Key: string) => codeOf(limited.send(new CopyObjectCommand({ Bucket, Key, CopySource: `repo/${from}` })));
  assert.equal(await copy('main/mine/a', 'main/mine/copy'), 'ok');
  assert.equal(await copy('main/others/b', 'main/mine/copy'), 'AccessDenied');
  assert.equal(await copy('main/mine/a', 'main/others/copy'), 'AccessDenied');
  const { UploadId } = await limited.send(new CreateMultipartUploadCommand({ Bucket, Key: 'main/mine/big' }));
  const part = new UploadPartCopyCommand({ Bucket, Key: 'main/mine/big', UploadId, PartNumber: 1, CopySource: 'repo/main/others/b' });
  assert.equal(await codeOf(limited.send(part)), 'AccessDenied');
  // An upload id gives no rights on another path, nor does its path on another upload.
  assert.equal(await codeOf(limited.send(new AbortMultipartUploadCommand({ Bucket, Key: 'main/others/big', UploadId }))), 'AccessDenied');
  await limited.send(new AbortMultipartUploadCommand({ Bucket, Key: 'main/mine/big', UploadId }));
});

test('bulk deletes are decided key by key', async () => {
  const Objects = [{ Key: 'main/mine/copy' }, { Key: 'main/others/b' }];
  const { Deleted, Errors } = await limited.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  assert.deepEqual(Deleted, [{ Key: 'main/mine/copy' }]);
  assert.deepEqual(Errors, [{ Code: 'AccessDenied', Key: 'main/others/b', Message: 'Access Denied' }]);
  await admin.send(new GetObjectCommand({ Bucket, Key: 'main/others/b' }));
});

test('buckets and listings', async () => {
  assert.deepEqual(
    (await limited.send(new ListBucketsCommand({}))).Buckets?.map(b => b.Name),
    ['repo'],
  );
  assert.equal(await codeOf(nobody.send(new ListBucketsCommand({}))), 'AccessDenied');
  assert.equal(await codeOf(limited.send(new HeadBucketCommand({ Bucket }))), 'ok');
  assert.equal(await codeOf(limited.send(new HeadBucketCommand({ Bucket: 'secret' }))), 'AccessDenied');
  // Clients create the bucket they write to, and continue when it exists.
  for (const client of [admin, limited])
    assert.equal(await codeOf(client.send(new CreateBucketCommand({ Bucket }))), 'BucketAlreadyExists');
  assert.equal(await codeOf(limited.send(new CreateBucketCommand({ Bucket: 'secret' }))), 'AccessDenied');
  // Callers that may not list repositories do not learn which exist.
  assert.equal(await codeOf(limited.send(new HeadBucketCommand({ Bucket: 'missing' }))), 'AccessDenied');
  assert.equal(await codeOf(limited.send(new ListObjectsV2Command({ Bucket, Prefix: 'main/' }))), 'ok');
  assert.equal(await codeOf(limited.send(new ListObjectsV2Command({ Bucket, Delimiter: '/' }))), 'AccessDenied');
});

test('the marker of the root of a branch needs no more than writing somewhere below it', async () => {
  const mark = (client: S3Client, bucket: string) => codeOf(client.send(new PutObjectCommand({ Bucket: bucket, Key: 'main/', Body: '' })));
  assert.deepEqual(
    [await mark(limited, 'repo'), await mark(limited, 'secret'), await mark(nobody, 'repo')],
    ['ok', 'AccessDenied', 'AccessDenied'],
  );
});

test('refusals name the action and the resource, but not to callers who may not know the bucket', async () => {
  const messageOf = (work: Promise<unknown>) =>
    work.then(
      () => assert.fail('allowed'),
      (error: unknown) => (error as Error).message,
    );
  assert.equal(
    await messageOf(limited.send(new GetObjectCommand({ Bucket, Key: 'main/others/b' }))),
    `Access Denied: not allowed to fs:ReadObject on ${repo}/object/others/b`,
  );
  const unknown = await Promise.all(
    ['secret', 'missing'].map(name => messageOf(limited.send(new ListObjectsV2Command({ Bucket: name, Prefix: 'main/' })))),
  );
  assert.deepEqual(unknown, ['Access Denied.', 'Access Denied.']);
  assert.equal(await messageOf(nobody.send(new GetObjectCommand({ Bucket, Key: 'main/others/b' }))), 'Access Denied.');
});
