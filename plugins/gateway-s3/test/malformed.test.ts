/** Two thousand broken requests: none may hang, answer 5xx, or leave an object behind. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { percentEncode } from '../src/protocol/percent.js';
import { createRepository, startServer, storedFiles } from './support/server.js';
import { send } from './support/raw.js';
import type { TestServer } from './support/server.js';
import type { RawRequest } from './support/raw.js';

let server: TestServer;

before(async () => {
  server = await startServer();
  await createRepository(server, 'repo');
  await send(server.port, { method: 'PUT', url: '/repo/main/there', body: 'x' });
});
after(() => server.stop());

const line = fc.string({ maxLength: 30 }).map(text => text.replace(/[\r\n\0]/g, ''));
const urlText = fc.string({ maxLength: 20 }).map(text => percentEncode(text));
const wildUrl = fc.string({ maxLength: 20 }).map(text => text.replace(/[^!-~]|[#?]/g, '%'));
const method = fc.constantFrom('GET', 'HEAD', 'PUT', 'POST', 'DELETE');
const place = fc.constantFrom(
  '/',
  '/repo',
  '/repo/',
  '/repo/main',
  '/repo/main/',
  '/repo/main/there',
  '/repo/main/new',
  '/repo//x',
  '/repo/a b/x'.replace(' ', '%20'),
  '/nope/main/x',
  '//',
  '/repo/main/%00',
);
const name = fc.constantFrom(
  'acl',
  'attributes',
  'continuation-token',
  'delete',
  'delimiter',
  'encoding-type',
  'fetch-owner',
  'key-marker',
  'list-type',
  'location',
  'marker',
  'max-keys',
  'max-parts',
  'max-uploads',
  'part-number-marker',
  'partNumber',
  'prefix',
  'response-content-type',
  'response-expires',
  'start-after',
  'tagging',
  'upload-id-marker',
  'uploadId',
  'uploads',
  'versioning',
);
const query = fc.array(
  fc.tuple(
    name,
    fc.oneof(
      urlText,
      wildUrl.map(v => v.replace(/[&=]/g, '')),
      fc.integer().map(String),
      fc.constantFrom('', 'main/', '0', '1', '-1', '99999999999', '2'),
    ),
  ),
  { maxLength: 4 },
);
const header = fc.tuple(
  fc.constantFrom(
    'range',
    'if-match',
    'if-none-match',
    'if-modified-since',
    'if-unmodified-since',
    'content-md5',
    'x-amz-checksum-crc32',
    'x-amz-checksum-sha256',
    'x-amz-checksum-crc64nvme',
    'x-amz-trailer',
    'x-amz-decoded-content-length',
    'x-amz-copy-source',
    'x-amz-copy-source-range',
    'x-amz-metadata-directive',
    'x-amz-meta-a',
    'x-amz-object-attributes',
    'content-type',
    'content-encoding',
    'accept',
    'x-amz-storage-class',
    'x-amz-checksum-algorithm',
    'expires',
    'x-forwarded-for',
  ),
  fc.oneof(
    line,
    fc.constantFrom(
      'bytes=0-0',
      'bytes=5-',
      '*',
      'x-amz-checksum-crc32',
      'x-amz-checksum-sha256',
      '0',
      '5',
      '/repo/main/there',
      '=?utf-8?q?=zz?=',
      '=?x?b?y?=',
      'AAAAAA==',
    ),
  ),
);
const xml = fc.oneof(
  line,
  fc.constantFrom(
    '<Delete/>',
    '<Delete><Object/></Delete>',
    '<Delete><Object><Key></Key></Object></Delete>',
    '<CompleteMultipartUpload/>',
    '<!DOCTYPE a><a/>',
    '<a',
    '<a>&x;</a>',
    '<?xml version="9"?><a/>',
  ),
  fc.tuple(line, line).map(([a, b]) => `<Delete><Object><Key>${a}</Key><VersionId>${b}</VersionId></Object></Delete>`),
  line.map(a => `<CompleteMultipartUpload><Part><PartNumber>${a}</PartNumber><ETag>${a}</ETag></Part></CompleteMultipartUpload>`),
);
const chunked = fc.oneof(
  line,
  fc.tuple(fc.stringMatching(/^[0-9a-f]{0,18}$/), line).map(([length, data]) => `${length}\r\n${data}\r\n0\r\n\r\n`),
  fc.tuple(line, line).map(([n, v]) => `3\r\nabc\r\n0\r\n${n}:${v}\r\n\r\n`),
);

const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
let orphansChecked = 0;

async function shoot(request: RawRequest): Promise<void> {
  const answer = await send(server.port, request);
  const where = `${request.method} ${request.url} ${JSON.stringify(request.headers ?? {})} ${JSON.stringify(String(request.body ?? ''))}: ${answer.status} ${answer.code}`;
  assert.ok(answer.status > 0, where);
  assert.ok(answer.status < 500 || answer.status === 501, where);
}

const options = (numRuns: number) => ({ numRuns, seed, endOnFailure: true });

test('queries and headers', async () => {
  await fc.assert(
    fc.asyncProperty(
      method,
      place,
      query,
      fc.array(header, { maxLength: 4 }),
      fc.option(xml, { nil: undefined }),
      async (m, p, q, h, body) => {
        const search = q.map(([n, v]) => `${n}=${v}`).join('&');
        // A multipart upload begun is no orphan, but it is a file of the store.
        if (m === 'POST' && q.some(([n]) => n === 'uploads')) return;
        await shoot({
          method: m,
          url: p + (search === '' ? '' : `?${search}`),
          headers: Object.fromEntries(h),
          ...(body === undefined ? {} : { body: Buffer.from(body) }),
        });
      },
    ),
    options(900),
  );
});

test('XML bodies', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('/repo?delete', '/repo/main/x?uploadId=00000000000000000000000000000000', '/repo/main/x?uploadId='),
      xml,
      async (url, body) => {
        await shoot({ method: 'POST', url, body: Buffer.from(body) });
      },
    ),
    options(300),
  );
});

test('chunk framing leaves no object', async () => {
  const before = storedFiles(server).length;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(
        'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
        'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
        'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
      ),
      chunked,
      async (payloadHash, body) => {
        const answer = await send(server.port, {
          method: 'PUT',
          url: '/repo/main/framed',
          payloadHash,
          headers: { 'x-amz-trailer': 'x-amz-checksum-crc32' },
          body: Buffer.from(body),
        });
        assert.ok(answer.status >= 400 && answer.status < 500, `${payloadHash} ${JSON.stringify(body)}: ${answer.status}`);
        orphansChecked++;
      },
    ),
    options(400),
  );
  assert.ok(orphansChecked > 0);
  assert.equal(storedFiles(server).length, before);
});

test('authorization, hosts and paths', async () => {
  const authorization = fc.oneof(
    line.map(text => `AWS4-HMAC-SHA256 ${text}`),
    line.map(text => `AWS ${text}`),
    line.map(text => `Basic ${text}`),
    line.map(text => `Bearer ${text}`),
    fc.tuple(line, line, line).map(([c, h, s]) => `AWS4-HMAC-SHA256 Credential=${c}, SignedHeaders=${h}, Signature=${s}`),
  );
  await fc.assert(
    fc.asyncProperty(
      method,
      fc.oneof(
        place,
        wildUrl.map(path => `/${path}`),
      ),
      authorization,
      line,
      async (m, url, auth, date) => {
        await shoot({
          method: m,
          url,
          headers: { host: 's3.localhost', authorization: auth.trimEnd(), 'x-amz-date': date },
          signed: false,
        });
      },
    ),
    options(400),
  );
});
