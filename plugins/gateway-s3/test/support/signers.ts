/** Every kind of signature and of body, made as clients make them. */
import { createHash, createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { streamingModes } from '../../src/server/body/mode.js';
import { percentEncode } from '../../src/server/protocol/percent.js';
import { presigned } from './presigned.js';
import { chunkedBody, sign } from './raw.js';
import { accessKeyId } from './server.js';
import type { signatureKinds } from '../../src/server/signature/find.js';

/** What is to be signed. */
export interface Unsigned {
  readonly method: string;
  /** Encoded. */
  readonly path: string;
  /** Decoded; a name without a value has an empty one. */
  readonly query: readonly (readonly [string, string])[];
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
}

/** As it goes over the wire. */
export interface Signed {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
}

interface Key {
  readonly host: string;
  readonly secret: string;
}

type Signer = (request: Unsigned, key: Key) => Signed;

const urlOf = ({ path, query }: Pick<Unsigned, 'path' | 'query'>): string =>
  path + (query.length === 0 ? '' : `?${query.map(pair => pair.map(text => percentEncode(text)).join('=')).join('&')}`);

/** @param hashOf value of `x-amz-content-sha256`. */
const version4 =
  (hashOf: (body: Buffer) => string): Signer =>
  (request, { host, secret }) => {
    const { method, headers, body } = request;
    const url = urlOf(request);
    const { headers: signed } = sign({ method, url, headers, payloadHash: hashOf(body ?? Buffer.alloc(0)) }, host, new Date(), secret);
    return { method, url, headers: signed, body };
  };

const inChunks =
  (mode: keyof typeof streamingModes): Signer =>
  (request, { host, secret }) => {
    const { method, headers, body = Buffer.alloc(0) } = request;
    const url = urlOf(request);
    const crc = Buffer.alloc(4);
    crc.writeUInt32BE(crc32(body));
    const trailer = streamingModes[mode].trailer ? { name: 'x-amz-checksum-crc32', value: crc.toString('base64') } : undefined;
    const own = {
      ...headers,
      'content-encoding': 'aws-chunked',
      'x-amz-decoded-content-length': String(body.length),
      ...(trailer ? { 'x-amz-trailer': trailer.name } : {}),
    };
    const signed = sign({ method, url, headers: own, payloadHash: mode }, host, new Date(), secret);
    const half = Math.ceil(body.length / 2);
    const chunks = [body.subarray(0, half), body.subarray(half)].filter(chunk => chunk.length > 0);
    const framed = chunkedBody(signed, { chunks, signed: streamingModes[mode].signed, trailer });
    return { method, url, headers: signed.headers, body: framed };
  };

/** What botocore takes for a part of the resource. */
const subResources = new Set(
  `accelerate acl cors defaultObjectAcl location logging partNumber policy requestPayment torrent versioning versionId versions website
  uploads uploadId response-content-type response-content-language response-expires response-cache-control
  response-content-disposition response-content-encoding delete lifecycle tagging restore storageClass notification replication
  analytics metrics inventory select select-type object-lock`.split(/\s+/),
);

function version2(secret: string, date: string, { method, path, query, headers }: Unsigned): string {
  const amz = Object.keys(headers)
    .filter(name => name.startsWith('x-amz-'))
    .sort()
    .map(name => `${name}:${headers[name]}\n`);
  const resource = query
    .filter(([name]) => subResources.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => (value === '' ? name : `${name}=${value}`));
  const place = path + (resource.length === 0 ? '' : `?${resource.join('&')}`);
  const text = [method, headers['content-md5'] ?? '', headers['content-type'] ?? '', date, amz.join('') + place].join('\n');
  return createHmac('sha1', secret).update(text).digest('base64');
}

/** One signer or more for each kind that the gateway knows; a kind without one does not compile. */
const byKind: Readonly<Record<keyof typeof signatureKinds, Signer>> = {
  'version 4 header': version4(() => 'UNSIGNED-PAYLOAD'),
  'version 4 query': ({ method, path, query, headers, body }, { host, secret }) => {
    const { url } = presigned(0, { method, path, query: Object.fromEntries(query), headers, host, secret });
    return { method, url, headers: { ...headers, host }, body };
  },
  'version 2 header': (request, { host, secret }) => {
    const date = new Date().toUTCString();
    const headers = { ...request.headers, host, date, authorization: `AWS ${accessKeyId}:${version2(secret, date, request)}` };
    return { ...request, url: urlOf(request), headers };
  },
  'version 2 query': (request, { host, secret }) => {
    const expires = String(Math.floor(Date.now() / 1000) + 60);
    const own: readonly (readonly [string, string])[] = [
      ['AWSAccessKeyId', accessKeyId],
      ['Expires', expires],
      ['Signature', version2(secret, expires, request)],
    ];
    return { ...request, url: urlOf({ ...request, query: [...request.query, ...own] }), headers: { ...request.headers, host } };
  },
  'timestamp query': (request, { host, secret }) => {
    const own: readonly (readonly [string, string])[] = [
      ['AWSAccessKeyId', accessKeyId],
      ['SignatureMethod', 'HmacSHA256'],
      ['SignatureVersion', '2'],
      ['Timestamp', new Date().toISOString()],
    ];
    const query = [...request.query, ...own];
    const form = query
      .map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`.replaceAll('%20', '+'))
      .sort()
      .join('&');
    const signature = createHmac('sha256', secret).update(['POST', host, request.path, form].join('\n')).digest('base64');
    return { ...request, url: urlOf({ ...request, query: [...query, ['Signature', signature]] }), headers: { ...request.headers, host } };
  },
};

interface NamedSigner {
  readonly name: string;
  readonly sign: Signer;
  /** Only requests with a body can be sent like that. */
  readonly needsBody: boolean;
}

export const signers: readonly NamedSigner[] = [
  ...Object.entries(byKind).map(([name, signer]) => ({ name, sign: signer, needsBody: false })),
  { name: 'version 4 header, hash of the body', sign: version4(body => createHash('sha256').update(body).digest('hex')), needsBody: false },
  ...Object.keys(streamingModes).map(mode => ({ name: mode, sign: inChunks(mode as keyof typeof streamingModes), needsBody: true })),
];
