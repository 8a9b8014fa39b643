/** Requests whose version 4 signature is in the query. */
import { createHash, createHmac } from 'node:crypto';
import { percentEncode } from '../../src/server/protocol/percent.js';
import { accessKeyId, secretAccessKey } from './server.js';
import type { RawRequest } from './raw.js';

interface Presigned {
  readonly method?: string;
  readonly path: string;
  /** Signed with the URL, such as headers that clients put into the query. */
  readonly query?: Readonly<Record<string, string>>;
  /** Seconds, as text. */
  readonly expires?: string;
  /** Seconds since it was signed. */
  readonly age?: number;
  /** Default: the port on this machine. */
  readonly host?: string;
  /** Signed, and to be sent with the request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly secret?: string;
  /** Default: `UNSIGNED-PAYLOAD`. */
  readonly payloadHash?: string;
}

const hmac = (key: Buffer | string, data: string): Buffer => createHmac('sha256', key).update(data).digest();

/** @param port of the server on this machine. */
export function presigned(port: number, given: Presigned): RawRequest {
  const {
    method = 'GET',
    path,
    query = {},
    expires = '60',
    age = 0,
    host = `127.0.0.1:${port}`,
    headers,
    secret = secretAccessKey,
    payloadHash = 'UNSIGNED-PAYLOAD',
  } = given;
  const lines = Object.entries({ ...headers, host }).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = lines.map(([name]) => name).join(';');
  const at = new Date(Date.now() - age * 1000).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${at.slice(0, 8)}/us-east-1/s3/aws4_request`;
  const all = {
    ...query,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${accessKeyId}/${scope}`,
    'X-Amz-Date': at,
    'X-Amz-Expires': expires,
    'X-Amz-SignedHeaders': names,
  };
  const pairs = Object.entries(all).map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`);
  const sorted = pairs.sort().join('&');
  const shown = lines.map(([name, value]) => `${name}:${value}\n`).join('');
  const canonical = `${method}\n${path}\n${sorted}\n${shown}\n${names}\n${payloadHash}`;
  const text = `AWS4-HMAC-SHA256\n${at}\n${scope}\n${createHash('sha256').update(canonical).digest('hex')}`;
  const key = [at.slice(0, 8), 'us-east-1', 's3', 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${secret}`));
  return {
    method,
    url: `${path}?${sorted}&X-Amz-Signature=${hmac(key, text).toString('hex')}`,
    signed: false,
    headers,
  };
}
