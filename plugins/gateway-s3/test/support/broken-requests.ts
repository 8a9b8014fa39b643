/** Requests that are wrong in every way a request can be: each depends on a seed and its number alone. */
import { createHash, createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { percentEncode } from '../../src/server/protocol/percent.js';
import { formBody, formType, signVersion2, signVersion4 } from './forms.js';
import { Random, anyText, lineText, mutate } from './random.js';
import { chunkedBody, headOf, sign } from './raw.js';
import { accessKeyId, secretAccessKey } from './server.js';
import type { RawRequest } from './raw.js';

export interface World {
  readonly port: number;
  /** Open uploads, and the etag of the one part each has. */
  readonly uploads: readonly { readonly key: string; readonly uploadId: string; readonly etag: string }[];
}

interface BrokenRequest {
  readonly kind: string;
  readonly bytes: Buffer;
  /** The client leaves after these bytes without waiting. */
  readonly leaves?: boolean;
  /** The framing of the request itself may be broken: the server may wait for more, or close. */
  readonly unframed?: boolean;
}

const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];
const queryNames = `
  acl attributes continuation-token delete delimiter encoding-type fetch-owner key-marker list-type location marker
  max-buckets max-keys max-parts max-uploads part-number-marker partNumber prefix response-content-type
  response-expires retention start-after tagging upload-id-marker uploadId uploads versionId versioning versions x-id
  select policy
`
  .trim()
  .split(/\s+/);
const queryValues = [
  '',
  'main/',
  'main/dir/',
  'nope/',
  '/',
  '0',
  '1',
  '2',
  '-1',
  '1e3',
  '99999999999',
  'url',
  '%',
  'main/%',
  'k',
  'kbWFpbi8',
  '\u00fc',
];
const headerNames = `
  range if-range if-match if-none-match if-modified-since if-unmodified-since content-md5 content-type
  content-encoding content-range cache-control expires accept origin x-forwarded-for x-forwarded-proto x-amz-acl
  x-amz-grant-read x-amz-checksum-crc32 x-amz-checksum-crc32c x-amz-checksum-sha1 x-amz-checksum-sha256
  x-amz-checksum-crc64nvme x-amz-checksum-algorithm x-amz-sdk-checksum-algorithm x-amz-trailer
  x-amz-decoded-content-length x-amz-copy-source x-amz-copy-source-range x-amz-copy-source-if-match
  x-amz-copy-source-if-modified-since x-amz-metadata-directive x-amz-meta-a x-amz-meta-b(c) x-amz-object-attributes
  x-amz-part-number-marker x-amz-storage-class x-amz-tagging x-amz-write-offset-bytes x-amz-expected-bucket-owner
  user-agent
`
  .trim()
  .split(/\s+/);
const headerValues = [
  'bytes=0-0',
  'bytes=5-',
  'bytes=-1',
  'bytes=0-1,3-4',
  'bytes=9-1',
  '*',
  '"x"',
  '0',
  '5',
  '-1',
  'Sun, 06 Nov 1994 08:49:37 GMT',
  'x-amz-checksum-crc32',
  'x-amz-checksum-sha256',
  '/repo/main/there',
  'repo/v1/there',
  'repo/main/none',
  '=?utf-8?q?=zz?=',
  '=?x?b?y?=',
  'AAAAAA==',
  'CRC32',
  'REPLACE',
  'private',
  'ETag,ObjectSize,Checksum,ObjectParts',
  's3RedirectionSupport',
  'aws-chunked,gzip',
];

/** Keys that are written differ from request to request: what is written stays in sight of listings. */
function anyUrl(random: Random, method: string, number: number): string {
  const writes = method === 'PUT' || method === 'POST';
  const path = random.chance(0.06)
    ? `/${anyText(random).replace(/[^!-~]|[#?]/g, '%')}`
    : random.pick([
        '/',
        '/repo',
        '/repo/',
        '/repo/main',
        '/repo/main/',
        '/repo//x',
        '/repo/a%20b/x',
        '/nope/main/x',
        '//',
        `/repo/main/%00${number}`,
        '/frozen/main/x',
        '/repo/v1/there',
        '/repo/main~1/there',
        '/repo/guarded/x',
        '/No_Such/main/x',
        `/repo/main/${'k'.repeat(1025)}`,
        ...(writes ? Array<string>(12).fill(`/repo/main/f/${number}`) : Array<string>(8).fill('/repo/main/there')),
      ]);
  const encode = (text: string): string => (random.chance(0.8) ? percentEncode(text) : text.replace(/[^!-~]|[#&=]/g, '%'));
  const query = random.chance(0.2)
    ? []
    : random.some(4, () => {
        const name = random.chance(0.9) ? random.pick(queryNames) : anyText(random, 8);
        const value = random.chance(0.7) ? random.pick(queryValues) : anyText(random);
        return random.chance(0.2) ? encode(name) : `${encode(name)}=${encode(value)}`;
      });
  return path + (query.length === 0 ? '' : `?${query.join('&')}`);
}

function anyHeaders(random: Random): Record<string, string> {
  return Object.fromEntries(
    random.some(4, () => [random.pick(headerNames), random.chance(0.6) ? random.pick(headerValues) : lineText(random)]),
  );
}

const host = ({ port }: World): string => `127.0.0.1:${port}`;

function finish(world: World, request: RawRequest, random: Random, kind: string): BrokenRequest {
  const body = Buffer.from(request.body ?? '');
  const head = headOf(request, host(world));
  // Whole bodies most of the time; now and then the client leaves in the middle.
  if (body.length > 1 && random.chance(0.03))
    return { kind: `${kind}, cut`, bytes: Buffer.concat([head, body.subarray(0, random.below(body.length))]), leaves: true };
  return { kind, bytes: Buffer.concat([head, body]) };
}

function documents(random: Random, { uploads }: World): Buffer {
  const { etag } = random.pick(uploads);
  const keys = random.some(5, () => random.pick(['main/none', 'main/', 'nope/x', 'v1/there', '', 'guarded/x', anyText(random, 30)]));
  const escaped = (text: string): string => text.replace(/[^ -%'-;=?-~]/g, '');
  const text = random.pick([
    `<Delete>${keys.map(key => `<Object><Key>${escaped(key)}</Key></Object>`).join('')}<Quiet>true</Quiet></Delete>`,
    `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Object><Key><![CDATA[main/none]]></Key><VersionId>v</VersionId></Object></Delete>`,
    `<Delete>${'<Object><Key>main/none</Key></Object>'.repeat(random.pick([999, 1001]))}</Delete>`,
    `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"${etag}"</ETag></Part></CompleteMultipartUpload>`,
    `<CompleteMultipartUpload><Part><ETag>${escaped(anyText(random))}</ETag><PartNumber>${random.below(20_000) - 5}</PartNumber></Part></CompleteMultipartUpload>`,
    '<AccessControlPolicy><AccessControlList><Grant><Grantee><ID>x</ID></Grantee></Grant></AccessControlList></AccessControlPolicy>',
    '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><Delete><Object><Key>&x;</Key></Object></Delete>',
    '<a>'.repeat(2000),
    '<?xml version="9"?><a/>',
    '\ufeff<Delete/>',
    anyText(random, 60),
  ]);
  const bytes = Buffer.from(text);
  return random.chance(0.5) ? mutate(random, bytes) : bytes;
}

type Make = (random: Random, world: World, number: number) => BrokenRequest;

const queriesAndHeaders: Make = (random, world, number) => {
  const method = random.pick(methods);
  const body = random.chance(0.5) ? undefined : random.chance(0.5) ? random.bytes(random.below(200)) : documents(random, world);
  const headers = {
    ...anyHeaders(random),
    ...(random.chance(0.1) ? { host: random.pick(['repo.s3.localhost', 's3.localhost', 'x.y']) } : {}),
  };
  const url = anyUrl(random, method, number);
  const hash = random.chance(0.1)
    ? { payloadHash: random.pick(['f'.repeat(64), 'none', '', 'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD']) }
    : {};
  return finish(world, { method, url, headers, ...hash, body }, random, 'queries and headers');
};

const xmlBodies: Make = (random, world, number) => {
  const { key, uploadId } = random.pick(world.uploads);
  const [method, url] = random.pick([
    ['POST', '/repo?delete'],
    ['POST', `/repo/${key}?uploadId=${uploadId}`],
    ['POST', `/repo/main/f/${number}?uploadId=${uploadId}`],
    ['PUT', '/repo/main/there?acl'],
    ['PUT', '/repo?acl'],
  ]);
  return finish(world, { method, url, body: documents(random, world) }, random, 'XML bodies');
};

const chunkFraming: Make = (random, world, number) => {
  const mode = random.pick([
    'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
  ]);
  const chunks = random.some(3, () => random.bytes(1 + random.below(40)));
  const content = Buffer.concat(chunks);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(content));
  const trailer = mode.endsWith('TRAILER') ? { name: 'x-amz-checksum-crc32', value: crc.toString('base64') } : undefined;
  const { key, uploadId } = random.pick(world.uploads);
  const request: RawRequest = {
    method: 'PUT',
    url: random.chance(0.3) ? `/repo/${key}?partNumber=${2 + random.below(50)}&uploadId=${uploadId}` : `/repo/main/f/${number}`,
    payloadHash: mode,
    headers: {
      ...(random.chance(0.8) ? { 'x-amz-decoded-content-length': String(content.length + (random.chance(0.1) ? 1 : 0)) } : {}),
      ...(trailer ? { 'x-amz-trailer': trailer.name } : {}),
    },
  };
  const signed = sign(request, host(world));
  const body = chunkedBody(signed, { chunks, signed: mode.includes('AWS4'), trailer });
  const broken = random.chance(0.95) ? mutate(random, body) : body;
  return finish(world, { ...request, headers: signed.headers, signed: false, body: broken }, random, 'chunk framing');
};

const signatures: Make = (random, world, number) => {
  const method = random.pick(methods);
  const url = method === 'PUT' ? `/repo/main/f/${number}` : random.pick(['/', '/repo', '/repo/main/there', '/repo?delete']);
  const own = { host: random.chance(0.5) ? 's3.localhost' : host(world) };
  const broken = (text: string): string =>
    mutate(random, Buffer.from(text))
      .toString('latin1')
      .replace(/[\r\n\0]/g, '');
  const date = random.chance(0.7) ? { 'x-amz-date': lineText(random) } : { date: new Date().toUTCString() };
  const body = method === 'PUT' || method === 'POST' ? { body: 'x' } : {};
  const { headers } = sign({ method, url, ...body }, own.host);
  const v2 = createHmac('sha1', secretAccessKey).update(anyText(random)).digest('base64');
  const credential = `${accessKeyId}/20260101/us-east-1/s3/aws4_request`;
  const presigned = new URLSearchParams({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': credential,
    'X-Amz-Date': '20260101T000000Z',
    'X-Amz-Expires': String(random.pick([0, 60, 604_800, 604_801, -1])),
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': createHash('sha256').update(url).digest('hex'),
  });
  const timestamp = `AWSAccessKeyId=${accessKeyId}&SignatureMethod=HmacSHA256&SignatureVersion=2&Timestamp=${encodeURIComponent(new Date().toISOString())}&Signature=x`;
  const joined = (query: string): string => `${url}${url.includes('?') ? '&' : '?'}${query.replace(/[^!-~]/g, '%')}`;
  const request: RawRequest = random.pick<() => RawRequest>([
    () => ({ method, url, headers: { ...headers, authorization: broken(headers.authorization ?? '') } }),
    () => ({ method, url, headers: { ...headers, 'x-amz-date': broken(headers['x-amz-date'] ?? '') } }),
    () => ({ method, url, headers: { ...headers, 'x-amz-content-sha256': broken(headers['x-amz-content-sha256'] ?? '') } }),
    () => ({
      method,
      url,
      headers: {
        ...own,
        ...date,
        authorization: `AWS4-HMAC-SHA256 Credential=${lineText(random)}, SignedHeaders=${lineText(random)}, Signature=${lineText(random)}`,
      },
    }),
    () => ({
      method,
      url,
      headers: { ...own, ...date, authorization: `AWS ${random.chance(0.5) ? accessKeyId : lineText(random)}:${v2}` },
    }),
    () => ({
      method,
      url,
      headers: { ...own, authorization: `${random.pick(['Basic', 'Bearer', 'AWS4-ECDSA-P256-SHA256', 'AWS'])} ${lineText(random)}` },
    }),
    () => ({ method, url: joined(broken(presigned.toString())), headers: own }),
    () => ({ method, url: joined(presigned.toString()), headers: { ...own, ...anyHeaders(random) } }),
    () => ({
      method,
      url: joined(broken(`AWSAccessKeyId=${accessKeyId}&Signature=x&Expires=${Math.floor(Date.now() / 1000) + 60}`)),
      headers: own,
    }),
    () => ({ method, url: joined(broken(timestamp)), headers: own }),
  ])();
  return finish(world, { ...request, ...body, signed: false }, random, 'signatures');
};

/** Forms of browsers, with anything wrong in them. */
const forms: Make = (random, world, number) => {
  const key = `main/f/${number}`;
  const some = [
    { bucket: 'repo' },
    ['starts-with', '$key', random.pick(['main/', '', 'other/'])],
    ['content-length-range', random.pick([0, 1, -1]), random.pick([0, 100, 1e9, Number.NaN])],
    ['starts-with', `$${random.pick(headerNames)}`, ''],
    random.pick([{}, [], ['eq'], null, 'x', { acl: 5 }]),
  ];
  const conditions = random.chance(0.7) ? some.slice(0, 3) : some.filter(() => random.chance(0.7));
  const expiration = random.pick([new Date(Date.now() + 60_000).toISOString(), '', 'x', new Date(0).toISOString()]);
  const policy = random.chance(0.9) ? { expiration, conditions } : random.pick([null, [], 'x', 5]);
  const signed = random.pick([signVersion2, signVersion4])(policy);
  const fields = Object.entries({ key, ...signed, ...(random.chance(0.3) ? { [random.pick(headerNames)]: lineText(random) } : {}) });
  const body = formBody([
    ...fields.filter(() => random.chance(0.98)).map(([name, value]) => ({ name, value })),
    { name: 'file', value: random.bytes(random.below(300)), filename: lineText(random, 5) },
  ]);
  const broken = random.chance(0.6) ? mutate(random, body) : body;
  const headers = { 'content-type': random.chance(0.95) ? formType : lineText(random) };
  return finish(
    world,
    { method: 'POST', url: random.pick(['/repo', '/repo/', '/nope', '/frozen']), headers, signed: false, body: broken },
    random,
    'forms',
  );
};

/** Requests right in themselves, with a few bytes of the head changed. */
const wire: Make = (random, world, number) => {
  const method = random.pick(methods);
  const body = Buffer.from('some content');
  const url = method === 'PUT' ? `/repo/main/f/${number}` : random.pick(['/repo/main/there', '/repo?list-type=2', '/']);
  const withBody = method === 'PUT' || method === 'POST';
  const extra = random.pick<Record<string, string>>([
    {},
    { 'content-length': random.pick(['-1', '1e1', '13', '11', '999999999999999999999', '5, 5']) },
    { 'transfer-encoding': random.pick(['chunked', 'gzip', 'chunked, chunked']) },
    { expect: random.pick(['100-continue', '200-ok']) },
  ]);
  const head = headOf({ method, url, headers: extra, body: withBody ? body : undefined }, host(world));
  const broken = random.chance(0.6) ? mutate(random, head) : head;
  return { kind: 'wire', bytes: Buffer.concat(withBody ? [broken, body] : [broken]), unframed: true };
};

/** Kinds of faults, each up to a point between 0 and 1: how often it comes is its distance from the one before. */
const kinds: readonly (readonly [Make, until: number])[] = [
  [queriesAndHeaders, 0.45],
  [xmlBodies, 0.6],
  [chunkFraming, 0.78],
  [signatures, 0.93],
  [forms, 0.98],
  [wire, 1],
];

export function brokenRequest(seed: number, number: number, world: World): BrokenRequest {
  const random = new Random(seed, number);
  const drawn = random.next();
  const [make] = kinds.find(([, until]) => drawn < until) ?? [wire];
  return make(random, world, number);
}
