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
}

const hmac = (key: Buffer | string, data: string): Buffer => createHmac('sha256', key).update(data).digest();

/** @param port of the server on this machine. */
export function presigned(port: number, { method = 'GET', path, query = {}, expires = '60', age = 0 }: Presigned): RawRequest {
  const at = new Date(Date.now() - age * 1000).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${at.slice(0, 8)}/us-east-1/s3/aws4_request`;
  const all = {
    ...query,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${accessKeyId}/${scope}`,
    'X-Amz-Date': at,
    'X-Amz-Expires': expires,
    'X-Amz-SignedHeaders': 'host',
  };
  const pairs = Object.entries(all).map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`);
  const sorted = pairs.sort().join('&');
  const canonical = `${method}\n${path}\n${sorted}\nhost:127.0.0.1:${port}\n\nhost\nUNSIGNED-PAYLOAD`;
  const text = `AWS4-HMAC-SHA256\n${at}\n${scope}\n${createHash('sha256').update(canonical).digest('hex')}`;
  const key = [at.slice(0, 8), 'us-east-1', 's3', 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${secretAccessKey}`));
  return { method, url: `${path}?${sorted}&X-Amz-Signature=${hmac(key, text).toString('hex')}`, signed: false };
}
