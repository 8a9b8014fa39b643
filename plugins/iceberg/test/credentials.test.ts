/** Temporary keys: the files of one table, at the S3 gateway, and nothing else. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { faceKey } from '@srv/lib-api/testing';
import { addUser, logIn, namespacePath, schema, startCatalog } from './support/server.js';
import type { CatalogServer } from './support/server.js';

let server: CatalogServer;
const sales = namespacePath('lake', 'main', 'sales');
before(async () => {
  server = await startCatalog();
  await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'sales'] } });
  for (const name of ['books', 'other']) await server.call('POST', `${sales}/tables`, { body: { name, schema } });
  await server.engine.putObject('lake', 'main', 'plain', Buffer.from('object'));
});
after(() => server.stop());

interface Access {
  readonly s3: S3Client;
  /** Key of the table's folder, with a slash at its end. */
  readonly folder: string;
  readonly config: Readonly<Record<string, string>>;
}

async function accessTo(table: string, token: string): Promise<Access> {
  const { body, status } = await server.call('GET', `${sales}/tables/${table}`, { token });
  assert.equal(status, 200, body);
  const { config, metadata } = JSON.parse(body) as { config: Record<string, string>; metadata: { location: string } };
  return { config, folder: `${metadata.location.slice('s3://lake/'.length)}/`, s3: clientOf(config) };
}

function clientOf(config: Readonly<Record<string, string>>, change: object = {}): S3Client {
  return new S3Client({
    endpoint: String(config['s3.endpoint']),
    forcePathStyle: true,
    region: String(config['client.region']),
    credentials: {
      accessKeyId: String(config['s3.access-key-id']),
      secretAccessKey: String(config['s3.secret-access-key']),
      sessionToken: String(config['s3.session-token']),
      ...change,
    },
    maxAttempts: 1,
  });
}

const nameOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: { name: string; $metadata?: { httpStatusCode?: number } }) => `${error.$metadata?.httpStatusCode ?? ''} ${error.name}`.trim(),
  );
const Bucket = 'lake';

test('a key ends with the token that it was made for, as its expiry says', async () => {
  const identity = server.kernel.services.get('identity');
  const { token, expiresAt } = (await identity.logIn?.(faceKey, undefined, 60_000)) ?? assert.fail('no logins');
  const end = Math.floor(expiresAt.getTime() / 1000) * 1000;
  const { config } = await accessTo('books', token);
  assert.equal(Number(config['s3.session-token-expires-at-ms']), end);
  const { body } = await server.call('GET', `${sales}/tables/books/credentials`, { token });
  const { 'storage-credentials': credentials } = JSON.parse(body) as { 'storage-credentials': { config: Record<string, string> }[] };
  assert.deepEqual(
    credentials.map(given => Number(given.config['s3.session-token-expires-at-ms'])),
    [end],
  );
  // Of a session that lasts longer than keys do.
  const before = Date.now();
  const user = (await identity.authenticate({ kind: 'token', token }))?.username ?? assert.fail('the token has no user');
  const session = await server.kernel.services.get('auth').issueToken(user);
  const expiry = Number((await accessTo('books', session.token)).config['s3.session-token-expires-at-ms']);
  assert.ok(expiry >= before + 3_600_000 && expiry <= Date.now() + 3_600_000);
});

describe('the key of one who may change a table', () => {
  let access: Access;
  before(async () => {
    access = await accessTo('books', await logIn(server));
  });

  test('writes, reads and lists the files of the table', async () => {
    const { s3, folder } = access;
    const Key = `${folder}data/a b+ü.parquet`;
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'other rows' }));
    const found = await s3.send(new GetObjectCommand({ Bucket, Key, Range: 'bytes=6-' }));
    assert.equal(await found.Body?.transformToString(), 'rows');
    const listed = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: `${folder}data/` }));
    assert.deepEqual(
      listed.Contents?.map(({ Key: key, Size }) => [key, Size]),
      [[Key, 10]],
    );
    const folders = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: folder, Delimiter: '/' }));
    assert.deepEqual(
      folders.CommonPrefixes?.map(({ Prefix }) => Prefix),
      [`${folder}data/`, `${folder}metadata/`],
    );
  });

  test('uploads in parts', async () => {
    const { s3, folder } = access;
    const Key = `${folder}data/large`;
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const parts = ['x'.repeat(5 << 20), 'end'];
    const sent = [];
    for (const [i, Body] of parts.entries()) {
      const { ETag } = await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: i + 1, Body }));
      sent.push({ ETag, PartNumber: i + 1 });
    }
    await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts: sent } }));
    assert.equal((await s3.send(new HeadObjectCommand({ Bucket, Key }))).ContentLength, (5 << 20) + 3);
  });

  test('replaces nothing that commits, tags and other branches may need, and may repeat a request', async () => {
    const { s3, folder } = access;
    const joined = async (Key: string, Body: string): Promise<string> => {
      const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
      const { ETag } = await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body }));
      return nameOf(
        s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts: [{ ETag, PartNumber: 1 }] } })),
      );
    };
    for (const [Key, content] of [
      [`${folder}data/once`, 'rows'],
      [`${folder}data/once-large`, 'x'.repeat(1 << 20)],
    ] as const) {
      const { ETag } = await s3.send(new PutObjectCommand({ Bucket, Key, Body: content }));
      const other = content.replace(/.$/, 'y');
      assert.deepEqual((await s3.send(new PutObjectCommand({ Bucket, Key, Body: content }))).ETag, ETag);
      assert.equal(await joined(Key, content), 'done');
      for (const refused of [
        nameOf(s3.send(new PutObjectCommand({ Bucket, Key, Body: other }))),
        nameOf(s3.send(new PutObjectCommand({ Bucket, Key, Body: '' }))),
        nameOf(s3.send(new PutObjectCommand({ Bucket, Key, Body: other, IfMatch: ETag }))),
        joined(Key, other),
      ])
        assert.equal(await refused, '403 AccessDenied', Key);
      const found = await s3.send(new GetObjectCommand({ Bucket, Key }));
      assert.equal(await found.Body?.transformToString(), content);
    }
  });

  test('does not remove what other branches may need', async () => {
    const { s3, folder } = access;
    const Key = `${folder}data/kept`;
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'rows' }));
    await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    assert.equal((await s3.send(new HeadObjectCommand({ Bucket, Key }))).ContentLength, 4);
  });

  test('opens nothing else', async () => {
    const { s3, folder } = access;
    const other = (await accessTo('other', await logIn(server))).folder;
    for (const Key of [
      'main/plain',
      `main/${folder}x`,
      `${other}data/x`,
      `${folder.slice(0, -1)}x`,
      `.tables/x`,
      `${folder}../other/x`,
      '.elsewhere/x',
    ]) {
      assert.match(await nameOf(s3.send(new GetObjectCommand({ Bucket, Key }))), /^403/, Key);
      assert.match(await nameOf(s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }))), /^403/, Key);
    }
    assert.match(await nameOf(s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'main/' }))), /^403/);
    assert.match(await nameOf(s3.send(new ListObjectsV2Command({ Bucket }))), /^403/);
    assert.match(await nameOf(s3.send(new ListObjectsV2Command({ Bucket, Prefix: other }))), /^403/);
    assert.match(await nameOf(s3.send(new ListBucketsCommand({}))), /^403/);
  });

  test('is of no use to the HTTP API and the catalog', async () => {
    const { config } = access;
    const basic = `Basic ${Buffer.from(`${config['s3.access-key-id']}:${config['s3.secret-access-key']}`).toString('base64')}`;
    assert.equal((await server.call('GET', '/namespaces', { headers: { authorization: basic } })).status, 401);
    assert.equal((await fetch(`${server.url}/api/v1/user`, { headers: { authorization: basic } })).status, 401);
  });

  test('is refused with another secret, a changed token, or none', async () => {
    const { config, folder } = access;
    const get = (change: object): Promise<string> =>
      nameOf(clientOf(config, change).send(new HeadObjectCommand({ Bucket, Key: `${folder}x` })));
    assert.match(await get({ secretAccessKey: 'other' }), /^403/);
    const token = String(config['s3.session-token']);
    assert.match(await get({ sessionToken: `${token.slice(0, -2)}AA` }), /^403/);
    assert.match(await get({ sessionToken: undefined }), /^403/);
    assert.match(await get({ accessKeyId: 'SRVT00000000000000000000' }), /^403/);
    assert.match(await get({}), /^404/);
  });
});

test('the key of a reader of one table reads, and does not write', async () => {
  const token = await addUser(server, 'reader', [
    { action: ['catalog:ReadTable'], resource: 'arn:lakefs:catalog:::table/lake/sales/books' },
  ]);
  const { s3, folder } = await accessTo('books', token);
  await (await accessTo('books', await logIn(server))).s3.send(new PutObjectCommand({ Bucket, Key: `${folder}data/r`, Body: 'rows' }));
  assert.equal(await (await s3.send(new GetObjectCommand({ Bucket, Key: `${folder}data/r` }))).Body?.transformToString(), 'rows');
  assert.match(await nameOf(s3.send(new PutObjectCommand({ Bucket, Key: `${folder}data/r`, Body: 'x' }))), /^403/);
});

test('a name that looks like another one in an address, with the UUID of its table, opens no files of that', async () => {
  const create = (token: string | undefined, namespace: string, name: string, uuid?: string) => {
    const updates = [
      ...(uuid === undefined ? [] : [{ action: 'assign-uuid', uuid }]),
      { action: 'add-schema', schema },
      { action: 'set-current-schema', 'schema-id': -1 },
      { action: 'add-spec', spec: { 'spec-id': 0, fields: [] } },
      { action: 'set-default-spec', 'spec-id': -1 },
      { action: 'add-sort-order', 'sort-order': { 'order-id': 0, fields: [] } },
      { action: 'set-default-sort-order', 'sort-order-id': -1 },
    ];
    const body = { requirements: [{ type: 'assert-create' }], updates };
    return server.call('POST', `${namespacePath('lake', 'main', namespace)}/tables/${encodeURIComponent(name)}`, {
      body,
      ...(token === undefined ? {} : { token }),
    });
  };
  await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'team_a'] } });
  const mine = ['catalog:CreateNamespace', 'catalog:CreateTable', 'catalog:ReadTable', 'catalog:UpdateTable'];
  const token = await addUser(server, 'evading', [
    { action: mine, resource: 'arn:lakefs:catalog:::namespace/lake/team.a' },
    { action: mine, resource: 'arn:lakefs:catalog:::table/lake/team.a/*' },
  ]);
  const own = await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'team.a'] }, token });
  assert.equal(own.status, 200, own.body);
  const made = await create(undefined, 'team_a', 'books');
  assert.equal(made.status, 200, made.body);
  const victim = (JSON.parse(made.body) as { metadata: { location: string; 'table-uuid': string } }).metadata;
  const { location, 'table-uuid': uuid } = victim;
  const evading = await create(token, 'team.a', 'books', uuid);
  assert.equal(evading.status, 200, evading.body);
  const loaded = await server.call('GET', `${namespacePath('lake', 'main', 'team.a')}/tables/books`, { token });
  const { config, metadata } = JSON.parse(loaded.body) as { config: Record<string, string>; metadata: Record<string, string> };
  assert.equal(metadata['table-uuid'], uuid);
  const key = (of: string): string => `${of.slice('s3://lake/'.length)}/metadata/x`;
  const look = (Key: string): Promise<string> => nameOf(clientOf(config).send(new HeadObjectCommand({ Bucket, Key })));
  assert.match(await look(key(metadata['location'] ?? '')), /^404/);
  assert.match(await look(key(location)), /^403/);
});

test('keys end with the sessions of their user', async () => {
  const token = await addUser(server, 'leaving', [{ action: ['catalog:ReadTable'], resource: 'arn:lakefs:catalog:::table/lake/sales/*' }]);
  const { s3, folder } = await accessTo('books', token);
  const look = (): Promise<string> => nameOf(s3.send(new HeadObjectCommand({ Bucket, Key: `${folder}none` })));
  assert.match(await look(), /^404/);
  await server.kernel.services.get('auth').revokeSessions('leaving');
  assert.match(await look(), /^403/);
});

test('users whose policy covers the whole repository read table files with their own keys', async () => {
  const { folder } = await accessTo('books', await logIn(server));
  const s3 = clientOf(
    {
      's3.endpoint': server.url,
      'client.region': 'x',
      's3.access-key-id': faceKey.accessKeyId,
      's3.secret-access-key': faceKey.secretAccessKey,
    },
    { sessionToken: undefined },
  );
  const listed = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: `${folder}metadata/` }));
  assert.equal(listed.KeyCount, 1);
});
