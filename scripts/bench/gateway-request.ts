/** Requests with a signature of version 4 over everything but the body. */
import { createHash, createHmac } from 'node:crypto';
import { key } from './api-load.js';

const region = 'us-east-1';

/**
 * A whole request, ready to be sent again and again for a quarter of an hour.
 * @param target path and query, encoded as signatures want it: names in ascending order.
 */
export function signedRequest(port: number, method: string, target: string, body?: Buffer): Buffer {
  const head = signedHead(port, method, target, body?.length);
  return body ? Buffer.concat([head, body]) : head;
}

/** @param length of the body that follows, bytes. */
export function signedHead(port: number, method: string, target: string, length?: number): Buffer {
  const date = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${date.slice(0, 8)}/${region}/s3/aws4_request`;
  const headers = { host: `127.0.0.1:${port}`, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'x-amz-date': date };
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const [path = '', query = ''] = target.split('?');
  const canonical = [method, path, query, lines.join(''), names, 'UNSIGNED-PAYLOAD'].join('\n');
  const text = ['AWS4-HMAC-SHA256', date, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const secret = scope.split('/').reduce<Buffer | string>((made, part) => hmac(made, part), `AWS4${key.secret}`);
  const authorization = `AWS4-HMAC-SHA256 Credential=${key.id}/${scope}, SignedHeaders=${names}, Signature=${hmac(secret, text).toString('hex')}`;
  const head = [
    `${method} ${target} HTTP/1.1`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `authorization: ${authorization}`,
    ...(length === undefined ? [] : [`content-length: ${length}`]),
    '\r\n',
  ];
  return Buffer.from(head.join('\r\n'));
}

function hmac(secret: Buffer | string, text: string): Buffer {
  return createHmac('sha256', secret).update(text).digest();
}
