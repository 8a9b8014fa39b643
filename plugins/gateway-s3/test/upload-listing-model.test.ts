/** Listings of uploads against a naive one: delimiters of one to four bytes, markers of every length, pages of every size. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { runCount } from '@srv/kernel/testing';
import { s3Client } from './support/client.js';
import { delimiters, keys, markers, naiveListing } from './support/naive-listing.js';
import { createRepository, startServer } from './support/server.js';
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
});
