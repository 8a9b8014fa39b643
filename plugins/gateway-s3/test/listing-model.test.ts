/** Listings through both faces against a naive one: delimiters of one to four bytes, markers of every length. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ListObjectsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { runCount } from '@srv/kernel/testing';
import { s3Client } from './support/client.js';
import { delimiters, keys, markers, naiveListing } from './support/naive-listing.js';
import { accessKeyId, createRepository, secretAccessKey, startServer } from './support/server.js';
import type { ListObjectsCommandOutput, ListObjectsV2CommandOutput, S3Client } from '@aws-sdk/client-s3';
import type { ListingRequest, NaiveListing } from './support/naive-listing.js';
import type { TestServer } from './support/server.js';

function ofGateway(page: ListObjectsCommandOutput | ListObjectsV2CommandOutput): NaiveListing {
  const path = (key = ''): string => key.slice('main/'.length);
  return { keys: (page.Contents ?? []).map(o => path(o.Key)), prefixes: (page.CommonPrefixes ?? []).map(p => path(p.Prefix)) };
}

describe('listings after any marker', () => {
  let server: TestServer;
  let client: S3Client;
  const Bucket = 'repo';
  before(async () => {
    server = await startServer();
    client = s3Client(server);
    await createRepository(server, Bucket);
    const engine = server.kernel.services.get('engine');
    for (const key of keys.slice(0, 8)) await engine.putObject(Bucket, 'main', key, Buffer.from(key));
    await engine.commit(Bucket, 'main', { message: 'some', committer: 'test' });
    for (const key of keys.slice(8)) await engine.putObject(Bucket, 'main', key, Buffer.from(key));
  });
  after(async () => {
    client.destroy();
    await server.stop();
  });

  async function byApi({ prefix, delimiter, marker }: ListingRequest): Promise<NaiveListing> {
    const query = new URLSearchParams({ prefix, delimiter, after: marker, amount: '1000' });
    const answer = await fetch(`${server.url}/api/v1/repositories/${Bucket}/refs/main/objects/ls?${query.toString()}`, {
      headers: { Authorization: `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString('base64')}` },
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    const { results } = JSON.parse(text) as { results: { path: string; path_type: string }[] };
    const of = (type: string): string[] => results.filter(r => r.path_type === type).map(r => r.path);
    return { keys: of('object'), prefixes: of('common_prefix') };
  }

  for (const Delimiter of delimiters.slice(0, runCount(3, delimiters.length)))
    test(`delimiter ${JSON.stringify(Delimiter)}`, async () => {
      for (const prefix of ['', 'a'])
        for (const marker of markers) {
          const request = { prefix, delimiter: Delimiter, marker };
          const wanted = naiveListing(request);
          const what = JSON.stringify(request);
          assert.deepEqual(await byApi(request), wanted, `api ${what}`);
          const input = { Bucket, Prefix: `main/${prefix}`, Delimiter };
          assert.deepEqual(
            ofGateway(await client.send(new ListObjectsCommand({ ...input, Marker: `main/${marker}` }))),
            wanted,
            `version 1 ${what}`,
          );
          assert.deepEqual(
            ofGateway(await client.send(new ListObjectsV2Command({ ...input, StartAfter: `main/${marker}` }))),
            wanted,
            `version 2 ${what}`,
          );
        }
    });

  test('a marker that names the ref alone comes before all keys', async () => {
    const wanted = naiveListing({ prefix: '', delimiter: '/', marker: '' });
    for (const marker of ['main', 'main/', '/main', '/main/']) {
      const input = { Bucket, Prefix: 'main/', Delimiter: '/' };
      assert.deepEqual(ofGateway(await client.send(new ListObjectsCommand({ ...input, Marker: marker }))), wanted, marker);
      assert.deepEqual(ofGateway(await client.send(new ListObjectsV2Command({ ...input, StartAfter: marker }))), wanted, marker);
    }
  });
});
