/** Listings of both versions, against a real server. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { decodeToken, encodeToken } from '../src/server/operations/listing-request.js';
import { inSlashOrder } from '../src/server/operations/ref-listing.js';
import { s3Client } from './support/client.js';
import { createRepository, startServer } from './support/server.js';
import type { S3Client } from '@aws-sdk/client-s3';
import type { TestServer } from './support/server.js';

let server: TestServer;
let client: S3Client;
const Bucket = 'repo';
const names = ['a', 'dir/a', 'dir/b', 'dir/sub/c', 'dir+x', 'dirz/1', 'tab\there', 'z w'];

before(async () => {
  server = await startServer();
  client = s3Client(server);
  await createRepository(server, Bucket);
  const engine = server.kernel.services.get('engine');
  for (const branch of ['dev', 'main-1', 'main-1-2', 'main0', 'maint']) await engine.createBranch(Bucket, branch, 'main');
  await engine.createBranch(Bucket, 'hidden', 'main', { hidden: true });
  for (const name of names) await client.send(new PutObjectCommand({ Bucket, Key: `main/${name}`, Body: name }));
});
after(async () => {
  client.destroy();
  await server.stop();
});

const v1 = (input: object = {}) => client.send(new ListObjectsCommand({ Bucket, ...input }));
const v2 = (input: object = {}) => client.send(new ListObjectsV2Command({ Bucket, ...input }));
const keys = (page: { readonly Contents?: readonly { readonly Key?: string | undefined }[] | undefined }) =>
  (page.Contents ?? []).map(o => o.Key);
const prefixes = (page: { readonly CommonPrefixes?: readonly { readonly Prefix?: string | undefined }[] | undefined }) =>
  (page.CommonPrefixes ?? []).map(p => p.Prefix);

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'none';
  } catch (error) {
    if (error instanceof S3ServiceException) return error.name;
    throw error;
  }
}

/** Byte order. */
const sorted = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).map(name => `main/${name}`);
const branches = ['dev/', 'main-1-2/', 'main-1/', 'main/', 'main0/', 'maint/'];

describe('branches', () => {
  test('are the common prefixes of the bucket, in the order of <branch>/', async () => {
    for (const input of [{}, { Delimiter: '/' }]) {
      assert.deepEqual(prefixes(await v2(input)), branches);
      assert.deepEqual(prefixes(await v1(input)), branches);
      assert.equal((await v2(input)).KeyCount, branches.length);
    }
    assert.deepEqual(prefixes(await v2({ Prefix: 'main-' })), ['main-1-2/', 'main-1/']);
    assert.deepEqual(prefixes(await v2({ Prefix: '/mai' })), branches.slice(1));
    assert.deepEqual(prefixes(await v2({ Prefix: 'none' })), []);
  });

  test('come in pages', async () => {
    const seen: (string | undefined)[] = [];
    for (let page = await v2({ MaxKeys: 1 }), more = true; more; ) {
      seen.push(...prefixes(page));
      more = page.IsTruncated ?? false;
      if (more) page = await v2({ MaxKeys: 1, ContinuationToken: page.NextContinuationToken });
    }
    assert.deepEqual(seen, branches);
    const old: (string | undefined)[] = [];
    for (let page = await v1({ MaxKeys: 2 }), more = true; more; ) {
      old.push(...prefixes(page));
      more = page.IsTruncated ?? false;
      if (more) page = await v1({ MaxKeys: 2, Marker: page.NextMarker });
    }
    assert.deepEqual(old, branches);
    assert.deepEqual(prefixes(await v2({ StartAfter: 'main' })), branches.slice(1));
  });

  test('reordering waits only for names that continue with what sorts before the slash', async () => {
    const all = ['a', 'a!', 'a-', 'a--b', 'a-b', 'a.', 'a.-c', 'a0', 'aa', 'b', 'b-1'];
    const given = (async function* () {
      yield* all;
    })();
    const found: string[] = [];
    for await (const name of inSlashOrder(given)) found.push(name);
    assert.deepEqual(
      found,
      [...all].sort((a, b) => (`${a}/` < `${b}/` ? -1 : 1)),
    );
  });
});

describe('tags', () => {
  test('stand beside the branches where that is configured, for those who may list them', async t => {
    const own = await startServer({ 'gateways.s3.list_tags': true, 'auth.ui_config.rbac': 'internal' });
    t.after(() => own.stop());
    const admin = s3Client(own);
    await createRepository(own, Bucket);
    const { engine, auth } = { engine: own.kernel.services.get('engine'), auth: own.kernel.services.get('auth') };
    await auth.createPolicy('branches', [{ effect: 'allow', action: ['fs:ListBranches'], resource: '*' }]);
    await auth.createUser({ username: 'limited' });
    await auth.attachToUser('limited', 'branches');
    const limited = s3Client(own, { credentials: await auth.createCredential('limited') });
    const tags = ['v1', 'v1!', 'v1.0', 'v1.0-rc', 'v1.0.1', 'v10', 'main.1', 'z\u00fc', '\ufb00', '\u{1f600}'];
    for (const branch of ['dev', 'main-1', 'v1-x']) await engine.createBranch(Bucket, branch, 'main');
    for (const tag of tags) await engine.createTag(Bucket, tag, 'main');
    const all = [...new Set([...tags, 'dev', 'main', 'main-1', 'v1-x'])].map(name => Buffer.from(`${name}/`)).sort(Buffer.compare);
    const wanted = all.map(String);
    const list = (by: S3Client, input: object) => by.send(new ListObjectsV2Command({ Bucket, Delimiter: '/', ...input }));
    assert.deepEqual(prefixes(await list(admin, {})), wanted);
    for (const MaxKeys of [1, 2, 5]) {
      const seen: (string | undefined)[] = [];
      for (let page = await list(admin, { MaxKeys }), more = true; more; ) {
        seen.push(...prefixes(page));
        more = page.IsTruncated ?? false;
        if (more) page = await list(admin, { MaxKeys, ContinuationToken: page.NextContinuationToken });
      }
      assert.deepEqual(seen, wanted, `pages of ${MaxKeys}`);
    }
    assert.deepEqual(prefixes(await list(admin, { Prefix: 'v1.' })), ['v1.0-rc/', 'v1.0.1/', 'v1.0/']);
    assert.deepEqual(prefixes(await list(limited, {})), ['dev/', 'main-1/', 'main/', 'v1-x/']);
  });
});

describe('objects', () => {
  test('in byte order, with owner on demand', async () => {
    assert.deepEqual(keys(await v2({ Prefix: 'main/' })), sorted);
    const page = await v1({ Prefix: 'main/' });
    assert.deepEqual(keys(page), sorted);
    assert.ok(page.Contents?.[0]?.Owner?.ID);
    assert.equal((await v2({ Prefix: 'main/' })).Contents?.[0]?.Owner, undefined);
    assert.ok((await v2({ Prefix: 'main/', FetchOwner: true })).Contents?.[0]?.Owner?.ID);
  });

  test('folded by delimiters', async () => {
    const top = await v2({ Prefix: 'main/', Delimiter: '/' });
    assert.deepEqual(keys(top), ['main/a', 'main/dir+x', 'main/tab\there', 'main/z w']);
    assert.deepEqual(prefixes(top), ['main/dir/', 'main/dirz/']);
    assert.equal(top.KeyCount, 6);
    assert.deepEqual(prefixes(await v2({ Prefix: 'main/dir/', Delimiter: '/' })), ['main/dir/sub/']);
    assert.deepEqual(prefixes(await v2({ Prefix: 'main/', Delimiter: 'ir' })), ['main/dir']);
    assert.deepEqual(
      keys(await v2({ Prefix: 'main/dir', Delimiter: '' })),
      sorted.filter(k => k.startsWith('main/dir')),
    );
  });

  test('in pages of every size, both versions, with and without delimiter', async () => {
    for (const Delimiter of [undefined, '/'])
      for (let MaxKeys = 1; MaxKeys <= 9; MaxKeys++) {
        const all = await v2({ Prefix: 'main/', Delimiter });
        const expected = new Set([...keys(all), ...prefixes(all)]);
        const newer: (string | undefined)[] = [];
        for (let page = await v2({ Prefix: 'main/', Delimiter, MaxKeys }), more = true; more; ) {
          newer.push(...keys(page), ...prefixes(page));
          more = page.IsTruncated ?? false;
          if (more) page = await v2({ Prefix: 'main/', Delimiter, MaxKeys, ContinuationToken: page.NextContinuationToken });
        }
        assert.deepEqual(new Set(newer), expected);
        assert.equal(newer.length, expected.size);
        const older: (string | undefined)[] = [];
        for (let page = await v1({ Prefix: 'main/', Delimiter, MaxKeys }), more = true; more; ) {
          older.push(...keys(page), ...prefixes(page));
          more = page.IsTruncated ?? false;
          if (more) page = await v1({ Prefix: 'main/', Delimiter, MaxKeys, Marker: page.NextMarker ?? page.Contents?.at(-1)?.Key });
        }
        assert.deepEqual(new Set(older), expected);
        assert.equal(older.length, expected.size);
      }
  });

  test('after a key', async () => {
    assert.deepEqual(keys(await v2({ Prefix: 'main/', StartAfter: 'main/dir/b' })), sorted.slice(sorted.indexOf('main/dir/b') + 1));
    assert.deepEqual(keys(await v2({ Prefix: 'main/', StartAfter: 'main/dir/bb' })), sorted.slice(sorted.indexOf('main/dir/b') + 1));
    assert.deepEqual(keys(await v1({ Prefix: 'main/', Marker: 'main/zz' })), []);
    assert.equal((await v2({ Prefix: 'main/', StartAfter: 'main/a' })).StartAfter, 'main/a');
  });

  test('URL-encoded on demand', async () => {
    const page = await v2({ Prefix: 'main/', Delimiter: '+', EncodingType: 'url', StartAfter: 'main/d' });
    assert.deepEqual(keys(page), ['main/dir/a', 'main/dir/b', 'main/dir/sub/c', 'main/dirz/1', 'main/tab%09here', 'main/z%20w']);
    assert.deepEqual([page.EncodingType, page.Delimiter, prefixes(page)], ['url', '%2B', ['main/dir%2B']]);
  });

  test('of other refs', async () => {
    const engine = server.kernel.services.get('engine');
    await engine.commit(Bucket, 'main', { message: 'all', committer: 'test' });
    await engine.createTag(Bucket, 'v1.0', 'main');
    await client.send(new PutObjectCommand({ Bucket, Key: 'main/zzz-new', Body: 'x' }));
    assert.deepEqual(keys(await v2({ Prefix: 'v1.0/dir/' })), ['v1.0/dir/a', 'v1.0/dir/b', 'v1.0/dir/sub/c']);
    assert.equal((await v2({ Prefix: 'main@/' })).KeyCount, names.length);
    assert.equal((await v2({ Prefix: 'main~1/' })).KeyCount, 0);
    assert.equal((await v2({ Prefix: 'main/' })).KeyCount, names.length + 1);
  });

  test('limits and refusals', async () => {
    const none = await v2({ Prefix: 'main/', MaxKeys: 0 });
    assert.deepEqual([none.KeyCount, none.IsTruncated, none.MaxKeys], [0, false, 0]);
    assert.equal((await v2({ Prefix: 'main/', MaxKeys: 5000 })).MaxKeys, 1000);
    assert.equal(await codeOf(v2({ MaxKeys: -1 })), 'InvalidArgument');
    assert.equal((await v2({ Prefix: 'nobranch/' })).KeyCount, 0);
    assert.equal((await v1({ Prefix: 'nobranch/' })).Contents, undefined);
    for (const Prefix of ['/', '//', '//x']) assert.equal(await codeOf(v2({ Prefix })), 'BadRequest', Prefix);
    assert.equal(await codeOf(v2({ Prefix: 'main/', ContinuationToken: 'main/a' })), 'InvalidArgument');
  });

  test('a marker outside the prefix is a position in the order of keys', async () => {
    const all = keys(await v2({ Prefix: 'main/' }));
    assert.ok(all.length > 0);
    for (const marker of ['a', 'dev/x', 'mai/zz', 'main', 'main-1/x', '/dev/x']) {
      assert.deepEqual(keys(await v2({ Prefix: 'main/', StartAfter: marker })), all, marker);
      assert.deepEqual(keys(await v1({ Prefix: 'main/', Marker: marker })), all, marker);
    }
    for (const marker of ['main0', 'main0/a', 'mainz', 'zz/a', 'ü']) {
      assert.deepEqual(keys(await v2({ Prefix: 'main/', StartAfter: marker })), [], marker);
      assert.deepEqual(keys(await v1({ Prefix: 'main/', Marker: marker })), [], marker);
    }
    const versions = await client.send(new ListObjectVersionsCommand({ Bucket, Prefix: 'main/', KeyMarker: 'dev/x' }));
    assert.equal(versions.Versions?.length, all.length);
  });

  test('tokens carry any key', () => {
    for (const key of ['main/', 'main/ü\u0001\n', 'a']) assert.equal(decodeToken(encodeToken(key)), key);
  });
});

describe('versions', () => {
  const versions = (input: object = {}) => client.send(new ListObjectVersionsCommand({ Bucket, ...input }));

  test('every object has one, in the order of a listing, with folders and pages', async () => {
    const all = await versions({ Prefix: 'main/', EncodingType: 'url' });
    const objects = await v2({ Prefix: 'main/', FetchOwner: true });
    const shown = (all.Versions ?? []).map(({ VersionId: _, IsLatest: __, Key = '', ...rest }) => ({
      ...rest,
      Key: decodeURIComponent(Key),
    }));
    assert.deepEqual(
      shown.map(({ Key, ETag, Size, LastModified, Owner, StorageClass }) => ({ Key, ETag, Size, LastModified, Owner, StorageClass })),
      (objects.Contents ?? []).map(({ Key, ETag, Size, LastModified, Owner, StorageClass }) => ({
        Key,
        ETag,
        Size,
        LastModified,
        Owner,
        StorageClass,
      })),
    );
    assert.ok(all.Versions?.every(({ VersionId, IsLatest }) => VersionId === 'null' && IsLatest));
    assert.deepEqual([all.DeleteMarkers, all.IsTruncated], [undefined, false]);
    assert.deepEqual(
      prefixes(await versions({ Prefix: 'main/', Delimiter: '/' })),
      prefixes(await v2({ Prefix: 'main/', Delimiter: '/' })),
    );
    for (const Delimiter of [undefined, '/']) {
      const [seen, whole] = [new Set<string | undefined>(), await versions({ Prefix: 'main/', Delimiter })];
      for (let marker: object = {}, more = true; more; ) {
        const page = await versions({ Prefix: 'main/', Delimiter, MaxKeys: 1, ...marker });
        for (const name of [...(page.Versions ?? []).map(({ Key }) => Key), ...prefixes(page)]) seen.add(name);
        more = page.IsTruncated ?? false;
        assert.equal(page.NextKeyMarker !== undefined, more);
        marker = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker };
      }
      assert.deepEqual(seen, new Set([...(whole.Versions ?? []).map(({ Key }) => Key), ...prefixes(whole)]));
    }
  });

  test('at the top there are branches; a version alone marks nothing', async () => {
    assert.deepEqual(prefixes(await versions()), branches);
    assert.equal(await codeOf(versions({ VersionIdMarker: 'null' })), 'InvalidArgument');
    assert.equal((await versions({ Prefix: 'nobranch/' })).Versions, undefined);
    assert.equal((await versions({ Prefix: 'main/', MaxKeys: 0 })).Versions, undefined);
  });

  test('listed versions can be read and deleted', async () => {
    await client.send(new PutObjectCommand({ Bucket, Key: 'dev/gone', Body: 'x' }));
    const { Versions: [found] = [] } = await versions({ Prefix: 'dev/gone' });
    await client.send(new DeleteObjectCommand({ Bucket, Key: found?.Key, VersionId: found?.VersionId }));
    assert.equal((await versions({ Prefix: 'dev/gone' })).Versions, undefined);
  });
});
