import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UrlSigner, partRequest, readRequest, signByLibrary, writeRequest } from '../src/server/sign.js';
import { SigningKeys } from '../src/server/signing-key.js';
import { openClients } from './opened.js';
import type { UrlRequest } from '../src/server/sign.js';

const credentials = { accessKeyId: 'a', secretAccessKey: 's' };

test('a URL ends when the credentials do, if that is sooner', async () => {
  const expiration = new Date(Date.now() + 600_000);
  const clients = openClients(async () => ({ ...credentials, sessionToken: 't', expiration }));
  const client = clients.preSigning('us-east-1');
  const signer = new UrlSigner();
  const request = readRequest({ bucket: 'bucket', key: 'x' }, undefined);
  const long = await signer.preSign(client, request, 3_600_000);
  assert.deepEqual(long.expiry, expiration);
  assert.equal(new URL(long.url).searchParams.get('X-Amz-Security-Token'), 't');
  const short = await signer.preSign(client, request, 60_000);
  assert.ok(short.expiry && short.expiry < expiration);
  clients.close();
});

test('a key is derived once per day, region and secret', () => {
  const keys = new SigningKeys();
  const scope = { day: '20240229', region: 'us-east-1', service: 's3' };
  const key = keys.get(credentials, scope);
  assert.equal(keys.get({ ...credentials }, { ...scope }), key);
  for (const other of [
    keys.get(credentials, { ...scope, day: '20240301' }),
    keys.get(credentials, { ...scope, region: 'eu-west-1' }),
    keys.get({ secretAccessKey: 'another' }, scope),
  ])
    assert.equal(other.equals(key), false);
});

const names = [
  'x',
  'a/b c+d.txt',
  "it's (100%)!*.bin",
  'é/ü ß&=?#.png',
  '/leading',
  'a//b',
  'a/./b',
  '日本/語',
  'trailing/',
  'a:b@c,d;e~f$g',
];
const requestsFor = (bucket: string): UrlRequest[] =>
  names.flatMap(key => [
    readRequest({ bucket, key }, undefined),
    readRequest({ bucket, key }, key),
    writeRequest({ bucket, key }),
    partRequest({ bucket, key }, 'upload+id/=~', 7),
  ]);
const sorted = (url: string): string => {
  const [address = '', query = ''] = url.split('?');
  return [address, ...query.split('&').sort()].join('\n');
};

for (const [where, options] of Object.entries({
  'AWS, bucket in the host': { forcePathStyle: false },
  'AWS, bucket in the path': { forcePathStyle: true },
  'another endpoint with a port and a path': { endpoint: 'http://127.0.0.1:9000/s3', forcePathStyle: true },
  'an endpoint for URLs only': { endpoint: 'http://inside:9000', preSignedEndpoint: 'https://outside.example', forcePathStyle: false },
})) {
  test(`URLs are those of the client library: ${where}`, async () => {
    for (const sessionToken of [undefined, 'token/with+signs==']) {
      const clients = openClients(async () => ({ ...credentials, ...(sessionToken === undefined ? {} : { sessionToken }) }), options);
      const signer = new UrlSigner();
      for (const region of ['us-east-1', 'eu-central-1', 'cn-north-1']) {
        const client = clients.preSigning(region);
        for (const date of [new Date('2024-02-29T23:59:59.900Z'), new Date('2024-03-01T00:00:00Z')]) {
          for (const bucket of ['plain', 'with.dots']) {
            for (const request of requestsFor(bucket)) {
              const validity = { date, expiresIn: 900 };
              assert.equal(sorted(await signer.sign(client, request, validity)), sorted(await signByLibrary(client, request, validity)));
            }
          }
        }
      }
      clients.close();
    }
  });
}

test('the library is asked once per bucket and kind of request', async () => {
  const clients = openClients(async () => credentials);
  const client = clients.preSigning('us-east-1');
  let asked = 0;
  client.middlewareStack.add(
    next => args => {
      asked++;
      return next(args);
    },
    { step: 'initialize', name: 'count' },
  );
  const signer = new UrlSigner();
  const sign = (n: number) => signer.preSign(client, partRequest({ bucket: 'bucket', key: 'x' }, 'upload', n), 60_000);
  const urls = await Promise.all(Array.from({ length: 100 }, (_, i) => sign(i + 1)));
  assert.equal(asked, 1);
  assert.equal(new Set(urls.map(({ url }) => url)).size, 100);
  clients.close();
});

test('new credentials count at once', async () => {
  let secretAccessKey = 'one';
  const clients = openClients(async () => ({ accessKeyId: 'a', secretAccessKey, expiration: new Date(Date.now() + 1000) }));
  const client = clients.preSigning('us-east-1');
  const signer = new UrlSigner();
  const request = writeRequest({ bucket: 'bucket', key: 'x' });
  const validity = { date: new Date(0), expiresIn: 60 };
  const first = await signer.sign(client, request, validity);
  secretAccessKey = 'two';
  const second = await signer.sign(client, request, validity);
  assert.notEqual(first, second);
  assert.equal(sorted(second), sorted(await signByLibrary(client, request, validity)));
  clients.close();
});
