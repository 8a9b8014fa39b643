/** Listings through both faces against a naive one: delimiters of one to four bytes, markers of every length. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ListObjectsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { s3Client } from './support/client.js';
import { accessKeyId, createRepository, secretAccessKey, startServer } from './support/server.js';
import type { ListObjectsCommandOutput, ListObjectsV2CommandOutput, S3Client } from '@aws-sdk/client-s3';
import type { TestServer } from './support/server.js';

const delimiters = ['/', '//', 'ü', '€', '//a', '/a/', '😀', '////'];
const keys = ['a', 'a/', 'a/a', 'a//a', 'a///b', 'a////', 'ab', 'ac', 'aüb', 'a€b', 'a😀b', 'b', 'b/a/', 'b/a/a', 'c//', 'main', 'ü', '😀'];
const bytesOf = (text: string): Buffer => Buffer.from(text, 'utf8');
const byBytes = (a: string, b: string): number => Buffer.compare(bytesOf(a), bytesOf(b));

/** Markers are keys, parts of keys that end at a character, and what follows them. */
const markers = [
  ...new Set(
    keys.flatMap(key =>
      Array.from(key, (_, i) =>
        Array.from(key)
          .slice(0, i + 1)
          .join(''),
      ).flatMap(part => [part, `${part}/`]),
    ),
  ),
].sort(byBytes);

interface Request {
  readonly prefix: string;
  readonly delimiter: string;
  readonly marker: string;
}

interface Listed {
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
}

function naive({ prefix, delimiter, marker }: Request): Listed {
  const shownAs = (key: string): string => {
    const end = key.indexOf(delimiter, prefix.length);
    return end < 0 ? key : key.slice(0, end + delimiter.length);
  };
  const seen = (key: string): boolean => byBytes(key, marker) <= 0 || shownAs(key) === marker;
  const shown = keys.filter(key => key.startsWith(prefix) && !seen(key)).sort(byBytes);
  const folded = (key: string): boolean => key.indexOf(delimiter, prefix.length) >= 0;
  return { keys: shown.filter(key => !folded(key)), prefixes: [...new Set(shown.filter(folded).map(shownAs))] };
}

function ofGateway(page: ListObjectsCommandOutput | ListObjectsV2CommandOutput): Listed {
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
    const catalog = server.kernel.services.get('catalog');
    for (const key of keys.slice(0, 8)) await catalog.putObject(Bucket, 'main', key, Buffer.from(key));
    await catalog.commit(Bucket, 'main', { message: 'some', committer: 'test' });
    for (const key of keys.slice(8)) await catalog.putObject(Bucket, 'main', key, Buffer.from(key));
  });
  after(async () => {
    client.destroy();
    await server.stop();
  });

  async function byApi({ prefix, delimiter, marker }: Request): Promise<Listed> {
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

  for (const Delimiter of delimiters)
    test(`delimiter ${JSON.stringify(Delimiter)}`, async () => {
      for (const prefix of ['', 'a'])
        for (const marker of markers) {
          const request = { prefix, delimiter: Delimiter, marker };
          const wanted = naive(request);
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
    const wanted = naive({ prefix: '', delimiter: '/', marker: '' });
    for (const marker of ['main', 'main/', '/main', '/main/']) {
      const input = { Bucket, Prefix: 'main/', Delimiter: '/' };
      assert.deepEqual(ofGateway(await client.send(new ListObjectsCommand({ ...input, Marker: marker }))), wanted, marker);
      assert.deepEqual(ofGateway(await client.send(new ListObjectsV2Command({ ...input, StartAfter: marker }))), wanted, marker);
    }
  });
});
