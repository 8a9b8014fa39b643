/** Signatures against published vectors, and what happens to them when anything signed changes. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { S3Error } from '../src/server/protocol/errors.js';
import { findSignature } from '../src/server/signature/find.js';
import { chunkSigner, signText } from '../src/server/signature/v4.js';
import { signedRequest } from './support/fake-request.js';
import { sign } from './support/raw.js';
import type { Parts } from './support/fake-request.js';

const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const key = 'AKIAIOSFODNN7EXAMPLE';
const scope = '20130524/us-east-1/s3/aws4_request';
const date = '20130524T000000Z';
const now = new Date('2013-05-24T00:00:10Z');
const empty = createHash('sha256').digest('hex');
const host = 'examplebucket.s3.amazonaws.com';

const authorization = (signedHeaders: string, signature: string): string =>
  `AWS4-HMAC-SHA256 Credential=${key}/${scope},SignedHeaders=${signedHeaders},Signature=${signature}`;

function outcome(parts: Parts, at = now, withSecret = secret): string {
  try {
    const found = findSignature(signedRequest(parts));
    if (!found) return 'none';
    found.verify(withSecret, at);
    return 'ok';
  } catch (error) {
    if (error instanceof S3Error) return error.code;
    throw error;
  }
}

const base = { host, 'x-amz-content-sha256': empty, 'x-amz-date': date };
const v4: Readonly<Record<string, Parts>> = {
  'GET with a range': {
    path: '/test.txt',
    headers: {
      ...base,
      range: 'bytes=0-9',
      authorization: authorization(
        'host;range;x-amz-content-sha256;x-amz-date',
        'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
      ),
    },
  },
  'PUT with a date header': {
    method: 'PUT',
    path: '/test$file.text',
    headers: {
      host,
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-content-sha256': createHash('sha256').update('Welcome to Amazon S3.').digest('hex'),
      'x-amz-date': date,
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      authorization: authorization(
        'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
        '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
      ),
    },
  },
  'GET of a sub-resource': {
    query: 'lifecycle',
    headers: {
      ...base,
      authorization: authorization(
        'host;x-amz-content-sha256;x-amz-date',
        'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
      ),
    },
  },
  'GET with a query': {
    query: 'prefix=J&max-keys=2',
    headers: {
      ...base,
      authorization: authorization(
        'host;x-amz-content-sha256;x-amz-date',
        '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
      ),
    },
  },
};

const preSigned = (expires: string, signature = 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404'): Parts => ({
  path: '/test.txt',
  query: `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodeURIComponent(`${key}/${scope}`)}&X-Amz-Date=${date}&X-Amz-Expires=${expires}&X-Amz-SignedHeaders=host&X-Amz-Signature=${signature}`,
  headers: { host },
});

test('published version 4 vectors verify', () => {
  for (const [name, parts] of Object.entries(v4)) assert.equal(outcome(parts), 'ok', name);
  assert.equal(outcome(preSigned('86400')), 'ok');
});

test('a wrong secret is refused', () => {
  for (const parts of Object.values(v4)) assert.equal(outcome(parts, now, `${secret}x`), 'SignatureDoesNotMatch');
});

test('the host must be signed', () => {
  const signedAs = (hostName: string): string => {
    const { headers } = sign({ url: '/test.txt', hostName }, host, now, secret);
    const authorization = (headers['authorization'] ?? '').replace(/Credential=[^/]+/, `Credential=${key}`);
    return outcome({ path: '/test.txt', headers: { ...headers, host, authorization } });
  };
  assert.equal(signedAs('host'), 'ok');
  assert.equal(signedAs('x-amz-meta-host'), 'AccessDenied');
});

test('changing any signed element is refused as SignatureDoesNotMatch', () => {
  const parts = v4['GET with a range'] ?? assert.fail('the vector is there');
  const authorization = parts.headers?.authorization ?? '';
  const changed: Parts[] = [
    { ...parts, method: 'PUT' },
    { ...parts, path: '/test.txu' },
    { ...parts, path: '/test.txt/' },
    { ...parts, query: 'versionId=1' },
    { ...parts, headers: { ...parts.headers, host: 'other.s3.amazonaws.com' } },
    { ...parts, headers: { ...parts.headers, range: 'bytes=0-8' } },
    { ...parts, headers: { ...parts.headers, 'x-amz-content-sha256': empty.replace('e', 'f') } },
    { ...parts, headers: { ...parts.headers, 'x-amz-date': '20130524T000001Z' } },
    { ...parts, headers: { ...parts.headers, authorization: authorization.replace('us-east-1', 'us-east-2') } },
    { ...parts, headers: { ...parts.headers, authorization: authorization.replace('/s3/', '/sqs/') } },
    { ...parts, headers: { ...parts.headers, authorization: authorization.replace('host;range;', 'host;') } },
  ];
  for (const change of changed) assert.equal(outcome(change), 'SignatureDoesNotMatch', JSON.stringify(change));
  fc.assert(
    fc.property(fc.nat(63), fc.integer({ min: 1, max: 15 }), (at, by) => {
      const match = /Signature=([0-9a-f]{64})/.exec(authorization)?.[1] ?? '';
      const digit = ((Number.parseInt(match[at] ?? '0', 16) + by) % 16).toString(16);
      const wrong = match.slice(0, at) + digit + match.slice(at + 1);
      assert.equal(
        outcome({ ...parts, headers: { ...parts.headers, authorization: authorization.replace(match, wrong) } }),
        'SignatureDoesNotMatch',
      );
    }),
  );
});

test('headers that change the meaning must be signed', () => {
  const parts = v4['GET with a range'] ?? assert.fail('the vector is there');
  assert.equal(outcome({ ...parts, headers: { ...parts.headers, 'x-amz-copy-source': 'repo/main/secret' } }), 'AccessDenied');
  assert.equal(outcome({ ...preSigned('86400'), headers: { host, 'x-amz-meta-a': 'b' } }), 'AccessDenied');
  assert.equal(outcome({ ...preSigned('86400'), headers: { host, 'x-amz-checksum-crc32': 'AAAAAA==' } }), 'ok');
});

test('clients of HTTP/2 may sign the host as :authority, whatever a proxy has made of it', () => {
  const request = { url: '/test.txt', hostName: ':authority', payloadHash: empty };
  const { ':authority': name = '', ...rest } = sign(request, host, now, secret).headers;
  const headers = { ...rest, authorization: (rest['authorization'] ?? '').replace(/Credential=[^/]*/, `Credential=${key}`) };
  assert.match(headers.authorization, /SignedHeaders=:authority;/);
  assert.equal(outcome({ path: '/test.txt', headers: { ...headers, host: name } }), 'ok');
  assert.equal(outcome({ path: '/test.txt', headers: { ...headers, host: 'other' } }), 'SignatureDoesNotMatch');
  assert.equal(outcome({ path: '/test.txt', headers: { ...headers, ':authority': name, host: 'other' } }), 'SignatureDoesNotMatch');
});

test('dates: missing, malformed, of another day, too old, too new', () => {
  const parts = v4['GET with a range'] ?? assert.fail('the vector is there');
  const dated = (value: string | undefined): Parts => {
    const { 'x-amz-date': _, ...rest } = parts.headers;
    return { ...parts, headers: value === undefined ? rest : { ...rest, 'x-amz-date': value } };
  };
  assert.equal(outcome(dated(undefined)), 'AccessDenied');
  assert.equal(outcome(dated('yesterday')), 'MalformedDate');
  assert.equal(outcome(dated('20130525T000000Z')), 'AuthorizationHeaderMalformed');
  assert.equal(outcome(parts, new Date('2013-05-24T00:16:00Z')), 'RequestTimeTooSkewed');
  assert.equal(outcome(parts, new Date('2013-05-24T00:14:00Z')), 'ok');
  assert.equal(outcome(parts, new Date('2013-05-23T23:44:00Z')), 'AccessDenied');
});

test('pre-signed URLs live as long as they say, up to seven days', () => {
  assert.equal(outcome(preSigned('86400'), new Date('2013-05-24T23:59:00Z')), 'ok');
  assert.equal(outcome(preSigned('86400'), new Date('2013-05-25T00:00:01Z')), 'AccessDenied');
  assert.equal(outcome(preSigned('86400'), new Date('2013-05-23T23:44:00Z')), 'AccessDenied');
  for (const expires of ['x', '-1', '604801', '']) assert.equal(outcome(preSigned(expires)), 'AuthorizationQueryParametersError', expires);
  assert.equal(outcome(preSigned('604800')), 'SignatureDoesNotMatch');
  assert.equal(
    outcome({ ...preSigned('1'), query: preSigned('1').query?.replace('SHA256', 'SHA512') ?? '' }),
    'AuthorizationQueryParametersError',
  );
  assert.equal(outcome({ ...preSigned('1'), query: preSigned('1').query?.replace('X-Amz-Date', 'X-Date') ?? '' }), 'MissingFields');
  assert.equal(
    outcome({ ...preSigned('1'), query: preSigned('1').query?.replace('aws4_request', 'aws5') ?? '' }),
    'AuthorizationQueryParametersError',
  );
});

test('a pre-signed URL that was verified before is still checked for everything it depends on', () => {
  const url = preSigned('86400');
  const query = url.query ?? '';
  for (let i = 0; i < 2; i++) assert.equal(outcome(url), 'ok');
  const changed: Parts[] = [
    { ...url, method: 'PUT' },
    { ...url, path: `${url.path}x` },
    { ...url, headers: { ...url.headers, host: 'other.s3.amazonaws.com' } },
    { ...url, headers: { ...url.headers, 'x-amz-content-sha256': empty } },
    { ...url, query: `${query}&versionId=1` },
    { ...url, query: query.replace('us-east-1', 'us-east-2') },
    { ...url, query: query.replace(/Signature=./, match => `Signature=${match.endsWith('0') ? '1' : '0'}`) },
  ];
  for (const change of changed) assert.equal(outcome(change), 'SignatureDoesNotMatch', JSON.stringify(change));
  assert.equal(outcome(url, now, 'another secret'), 'SignatureDoesNotMatch');
  assert.equal(outcome(url, new Date('2013-05-25T00:00:01Z')), 'AccessDenied');
  assert.equal(outcome({ ...url, headers: { ...url.headers, 'x-amz-acl': 'public-read' } }), 'AccessDenied');
});

test('beyond maxProofs: URLs are verified again', () => {
  const { query: raw = '' } = preSigned('86400');
  const unsigned = raw.replace(/&X-Amz-Signature=.*/, '');
  const long = 'a'.repeat(3000);
  const signed = (i: number): Parts => {
    const query = `${unsigned}&x=${long}${i}`;
    const hash = createHash('sha256').update(`GET\n/\n${query}\nhost:${host}\n\nhost\nUNSIGNED-PAYLOAD`).digest('hex');
    const signature = signText(
      `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash}`,
      { day: '20130524', region: 'us-east-1', service: 's3' },
      secret,
    );
    return { query: `${query}&X-Amz-Signature=${signature}`, headers: { host } };
  };
  for (let i = 0; i < 1500; i++) assert.equal(outcome(signed(i)), 'ok');
  assert.equal(outcome(signed(0)), 'ok');
  assert.equal(outcome({ ...signed(0), path: '/other' }), 'SignatureDoesNotMatch');
});

test('malformed authorization headers', () => {
  const of = (value: string): Parts => ({ headers: { ...base, authorization: value } });
  assert.equal(outcome(of('AWS4-HMAC-SHA256 Credential=x')), 'AuthorizationHeaderMalformed');
  assert.equal(outcome(of('AWS4-ECDSA-P256-SHA256 Credential=x')), 'none');
  assert.equal(outcome(of('Nonsense')), 'none');
  assert.equal(outcome({ headers: base }), 'none');
});

test('chunk signatures chain as published', () => {
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  const start = (signature: string) =>
    chunkSigner(
      { scope: { day: '20130524', region: 'us-east-1', service: 's3' }, date, signedHeaders: '', payloadHash: '', signature },
      secret,
    );
  const plain = start('4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9');
  assert.ok(plain.checkChunk(hash('a'.repeat(65_536)), 'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648'));
  assert.ok(plain.checkChunk(hash('a'.repeat(1024)), '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497'));
  assert.ok(plain.checkChunk(empty, 'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9'));
  const trailing = start('106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e');
  assert.ok(trailing.checkChunk(hash('a'.repeat(65_536)), 'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2'));
  assert.ok(trailing.checkChunk(hash('a'.repeat(1024)), '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7'));
  assert.ok(trailing.checkChunk(empty, '2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992'));
  assert.ok(
    trailing.checkTrailer(hash('x-amz-checksum-crc32c:sOO8/Q==\n'), 'd81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435'),
  );
});

const v2Header: Parts = {
  path: '/photos/puppy.jpg',
  hostRepository: 'awsexamplebucket1',
  headers: {
    host: 'awsexamplebucket1.s3.amazonaws.com',
    date: 'Tue, 27 Mar 2007 19:36:42 +0000',
    authorization: `AWS ${key}:qgk2+6Sv9/oM7G3qLEjTH1a1l1g=`,
  },
};

test('published version 2 vectors verify', () => {
  const at = new Date('2007-03-27T19:36:50Z');
  assert.equal(outcome(v2Header, at), 'ok');
  assert.equal(outcome({ ...v2Header, path: '/photos/puppy.jpf' }, at), 'SignatureDoesNotMatch');
  assert.equal(outcome({ ...v2Header, query: 'uploadId=1' }, at), 'SignatureDoesNotMatch');
  assert.equal(outcome({ ...v2Header, query: 'prefix=1' }, at), 'ok');
  assert.equal(outcome({ ...v2Header, headers: { ...v2Header.headers, 'x-amz-acl': 'private' } }, at), 'SignatureDoesNotMatch');
  assert.equal(outcome(v2Header, new Date('2007-03-27T20:36:50Z')), 'RequestTimeTooSkewed');
  assert.equal(outcome({ ...v2Header, headers: { ...v2Header.headers, date: 'today' } }, at), 'MalformedDate');
});

test('version 2 URLs', () => {
  const url: Parts = {
    path: '/awsexamplebucket1/photos/puppy.jpg',
    query: `AWSAccessKeyId=${key}&Signature=${encodeURIComponent('1No4mq5ETf02z8aet9voy6gui6E=')}&Expires=1175139620`,
    headers: { host: 's3.amazonaws.com' },
  };
  assert.equal(outcome(url, new Date(1_175_139_000_000)), 'ok');
  assert.equal(outcome(url, new Date(1_175_139_621_000)), 'AccessDenied');
  assert.equal(outcome({ ...url, query: `${url.query}0` }, new Date(0)), 'SignatureDoesNotMatch');
  assert.equal(outcome({ ...url, query: `AWSAccessKeyId=${key}&Expires=1175139620` }), 'MissingFields');
});
