/** Files of tables lie beside the refs: rights on the repository, and on the objects of its branches, do not open them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { faceKey } from '@srv/lib-api/testing';
import { startCatalog } from './support/server.js';
import type { CatalogServer } from './support/server.js';

const Bucket = 'lake';
const Key = '.tables/sales/secret/data.parquet';
const upload = '.tables/sales/upload.parquet';
const repository = 'arn:lakefs:fs:::repository/lake';

let server: CatalogServer;
let admin: S3Client;
/** May list the repository. */
let limited: S3Client;
/** May list the folder `sales` of the tables, too. */
let analyst: S3Client;

const clientOf = (credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }): S3Client =>
  new S3Client({ endpoint: server.url, forcePathStyle: true, region: 'us-east-1', credentials, maxAttempts: 1 });

async function userWith(username: string, resources: readonly string[]): Promise<S3Client> {
  const auth = server.kernel.services.get('auth');
  await auth.createUser({ username });
  await auth.createPolicy(
    username,
    resources.map(resource => ({ effect: 'allow' as const, action: ['fs:ListObjects', 'fs:ListBranches'], resource })),
  );
  await auth.attachToUser(username, username);
  return clientOf(await auth.createCredential(username));
}

before(async () => {
  server = await startCatalog();
  admin = clientOf(faceKey);
  limited = await userWith('limited', [repository]);
  analyst = await userWith('analyst', [repository, `${repository}/folder/.tables/sales/*`]);
  await admin.send(new PutObjectCommand({ Bucket, Key, Body: 'rows' }));
  await admin.send(new PutObjectCommand({ Bucket, Key: 'main/plain', Body: 'x' }));
  for (const begun of [upload, 'main/upload']) await admin.send(new CreateMultipartUploadCommand({ Bucket, Key: begun }));
});
after(async () => {
  for (const client of [admin, limited, analyst]) client.destroy();
  await server.stop();
});

const listings = {
  ListObjects: (client: S3Client, Prefix: string) =>
    client.send(new ListObjectsCommand({ Bucket, Prefix })).then(({ Contents = [] }) => Contents),
  ListObjectsV2: (client: S3Client, Prefix: string) =>
    client.send(new ListObjectsV2Command({ Bucket, Prefix })).then(({ Contents = [] }) => Contents),
  ListObjectVersions: (client: S3Client, Prefix: string) =>
    client.send(new ListObjectVersionsCommand({ Bucket, Prefix })).then(({ Versions = [] }) => Versions),
};

const outcome = (work: Promise<readonly { readonly Key?: string | undefined }[]>): Promise<readonly (string | undefined)[] | string> =>
  work.then(
    found => found.map(object => object.Key),
    (error: Error) => error.name,
  );

for (const [name, list] of Object.entries(listings))
  test(`${name}: a slash before the folder needs the same permission`, async () => {
    for (const prefix of ['.tables/', '/.tables/', '.tables/sales/', '/.tables/sales/', '/.tables/sales/sec']) {
      assert.equal(await outcome(list(limited, prefix)), 'AccessDenied', prefix);
      assert.deepEqual(await outcome(list(admin, prefix)), [Key], prefix);
      const allowed = prefix.includes('/sales/');
      assert.deepEqual(await outcome(list(analyst, prefix)), allowed ? [Key] : 'AccessDenied', prefix);
    }
    for (const prefix of ['main/', '/main/']) assert.deepEqual(await outcome(list(limited, prefix)), ['main/plain'], prefix);
    for (const client of [limited, admin])
      for (const prefix of ['//.tables/', '/']) assert.equal(await outcome(list(client, prefix)), 'BadRequest', prefix);
  });

test('listings of uploads show those in the folder to callers who may list them', async () => {
  const uploadsOf = (client: S3Client, Prefix?: string) =>
    outcome(client.send(new ListMultipartUploadsCommand({ Bucket, Prefix })).then(({ Uploads = [] }) => Uploads));
  assert.deepEqual(await uploadsOf(limited), ['main/upload']);
  assert.deepEqual(await uploadsOf(limited, '.tables/'), []);
  for (const client of [admin, analyst]) assert.deepEqual(await uploadsOf(client), [upload, 'main/upload']);
});
