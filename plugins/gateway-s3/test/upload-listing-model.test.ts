/** Listings of uploads against a naive one: delimiters of one to four bytes, markers of every length, pages of every size. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { silentLogger } from '@srv/kernel';
import { MemoryKvStore, runCount, seededRandom } from '@srv/kernel/testing';
import { UploadTracker } from '../src/server/uploads/tracker.js';
import { UploadPages } from '../src/server/uploads/upload-page.js';
import { s3Client } from './support/client.js';
import { delimiters, keys, markers, naiveListing } from './support/naive-listing.js';
import { createRepository, startServer } from './support/server.js';
import { turnsDuring } from './support/turns.js';
import type { ListMultipartUploadsCommandInput, ListMultipartUploadsCommandOutput, S3Client } from '@aws-sdk/client-s3';
import type { NaiveListing } from './support/naive-listing.js';
import type { TestServer } from './support/server.js';

const Bucket = 'repo';
/** The second upload of a key, for markers between the two. */
const twice = ['a/a', 'a////', 'b'];

describe('listings of uploads after any marker', () => {
  let server: TestServer;
  let client: S3Client;
  /** Of {@link twice}, in the order they began. */
  const ids = new Map<string, string[]>();
  before(async () => {
    server = await startServer();
    client = s3Client(server);
    await createRepository(server, Bucket);
    for (const key of [...keys, ...twice]) {
      const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key: `main/${key}` }));
      ids.set(key, [...(ids.get(key) ?? []), UploadId]);
    }
  });
  after(async () => {
    client.destroy();
    await server.stop();
  });

  const list = (rest: Omit<ListMultipartUploadsCommandInput, 'Bucket'>): Promise<ListMultipartUploadsCommandOutput> =>
    client.send(new ListMultipartUploadsCommand({ Bucket, ...rest }));
  const path = (key = ''): string => key.slice('main/'.length);
  const found = (pages: readonly ListMultipartUploadsCommandOutput[]): NaiveListing => ({
    keys: pages.flatMap(({ Uploads = [] }) => Uploads.map(({ Key }) => path(Key))),
    prefixes: pages.flatMap(({ CommonPrefixes = [] }) => CommonPrefixes.map(({ Prefix }) => path(Prefix))),
  });
  /** Keys with two uploads are shown twice. */
  const doubled = ({ keys: shown, prefixes }: NaiveListing): NaiveListing => ({
    keys: shown.flatMap(key => (twice.includes(key) ? [key, key] : [key])),
    prefixes,
  });

  for (const Delimiter of delimiters.slice(0, runCount(3, delimiters.length))) {
    test(`delimiter ${JSON.stringify(Delimiter)}`, async () => {
      for (const prefix of ['', 'a'])
        for (const marker of markers) {
          const wanted = doubled(naiveListing({ prefix, delimiter: Delimiter, marker }));
          const page = await list({ Prefix: `main/${prefix}`, Delimiter, KeyMarker: `main/${marker}` });
          assert.deepEqual(found([page]), wanted, JSON.stringify({ prefix, marker }));
        }
    });

    test(`delimiter ${JSON.stringify(Delimiter)}, page by page`, async () => {
      const wanted = doubled(naiveListing({ prefix: '', delimiter: Delimiter, marker: '' }));
      for (const MaxUploads of [1, 2, 3, 5]) {
        const pages: ListMultipartUploadsCommandOutput[] = [];
        for (let last: ListMultipartUploadsCommandOutput | undefined; !last || last.IsTruncated; pages.push(last))
          last = await list({
            Prefix: 'main/',
            Delimiter,
            MaxUploads,
            KeyMarker: last?.NextKeyMarker,
            UploadIdMarker: last?.NextUploadIdMarker,
          });
        assert.deepEqual(found(pages), wanted, `pages of ${MaxUploads}`);
      }
    });
  }

  test('a marker between two uploads of one key shows the second, or what it is folded into', async () => {
    const UploadIdMarker = ids.get('a/a')?.[0] ?? '';
    const after = { KeyMarker: 'main/a/a', UploadIdMarker, Prefix: 'main/a/a' };
    assert.deepEqual(
      (await list(after)).Uploads?.map(({ UploadId }) => UploadId),
      ids.get('a/a')?.slice(1),
    );
    const folded = { ...after, Prefix: 'main/', Delimiter: '/' };
    assert.deepEqual((await list(folded)).CommonPrefixes?.[0], { Prefix: 'main/a/' });
    assert.deepEqual((await list({ ...folded, UploadIdMarker: undefined })).CommonPrefixes?.[0], { Prefix: 'main/b/' });
  });

  test('a marker that was completed meanwhile is followed by what began after it', async () => {
    const Key = 'main/completed';
    const begun: string[] = [];
    for (let i = 0; i < 7; i++) begun.push((await client.send(new CreateMultipartUploadCommand({ Bucket, Key }))).UploadId ?? '');
    const page = await list({ Prefix: Key, MaxUploads: 1 });
    const UploadId = page.NextUploadIdMarker;
    const { ETag } = await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'x' }));
    await client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } }));
    const rest = await list({ Prefix: Key, KeyMarker: page.NextKeyMarker, UploadIdMarker: UploadId });
    assert.deepEqual([UploadId, ...(rest.Uploads ?? []).map(shown => shown.UploadId)], begun);
  });
});

test('pages of uploads that come in any order', () => {
  const random = seededRandom();
  for (let round = 0; round < 100; round++) {
    const delimiter = round % 3 === 0 ? '' : '/';
    const all = Array.from({ length: random.below(60) }, (_, i) => ({
      key: `main/${keys[random.below(keys.length)] ?? ''}`,
      uploadId: `${random.below(1000)}-${i}`,
      createdAt: new Date(random.below(3)),
    }));
    const pageOf = (limit: number, marker: { key: string; uploadId: string } = { key: '', uploadId: '' }) => {
      const markedAt = all.find(({ uploadId }) => uploadId === marker.uploadId)?.createdAt;
      const rest = { prefix: 'main/', keyMarker: marker.key, uploadIdMarker: marker.uploadId };
      const pages = new UploadPages({ ...rest, delimiter, markedAt, limit });
      for (const upload of all) {
        const row = pages.rowOf(upload);
        if (row) pages.add(row);
      }
      return pages.page();
    };
    const whole = pageOf(1000);
    const byTime = (a: (typeof all)[number], b: (typeof all)[number]): number =>
      Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)) ||
      Number(a.createdAt) - Number(b.createdAt) ||
      (a.uploadId < b.uploadId ? -1 : 1);
    const folded = (key: string): boolean => delimiter !== '' && key.includes('/', 'main/'.length);
    assert.deepEqual(whole.uploads, all.filter(({ key }) => !folded(key)).sort(byTime), `seed ${random.seed}`);
    for (const limit of [1, 2, 5]) {
      const uploads: unknown[] = [];
      const prefixes: string[] = [];
      for (let page = pageOf(limit); ; page = pageOf(limit, page.next)) {
        assert.ok(page.uploads.length + page.prefixes.length <= limit);
        uploads.push(...page.uploads);
        prefixes.push(...page.prefixes);
        if (!page.next) break;
      }
      assert.deepEqual({ uploads, prefixes }, { uploads: whole.uploads, prefixes: whole.prefixes }, `seed ${random.seed}`);
    }
  }
});

test('others get their turn while many uploads are read', async () => {
  const tracker = new UploadTracker(new MemoryKvStore(), { log: silentLogger, endAbandoned: async () => false });
  const createdAt = new Date();
  for (let i = 0; i < 20_000; i++) {
    const names = { uploadId: `upload ${i}`, path: `a/${i}`, address: `data/${i}`, contentType: '', metadata: {} };
    const owner = { repository: i % 2 ? 'repo' : 'other', ref: 'main', repositoryUid: 'uid', branchUid: '-' };
    await tracker.create({ ...names, ...owner, createdAt, checksumAlgorithm: '', checksumType: '' });
  }
  let found = 0;
  const turns = await turnsDuring(async () => {
    for await (const _ of tracker.open({ id: 'repo', instanceUid: 'uid', creationDate: createdAt })) found++;
  });
  assert.equal(found, 10_000);
  assert.ok(turns >= 5, `${turns} turns`);
});
