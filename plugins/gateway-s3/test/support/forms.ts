/** Forms as browsers send them, with a signed policy. */
import { createHmac } from 'node:crypto';
import { accessKeyId, secretAccessKey } from './server.js';

/** A field or, with `filename`, a file. */
export interface FormField {
  readonly name: string;
  readonly value: string | Buffer;
  readonly filename?: string;
  readonly type?: string;
}

export const boundary = '----of the tests 7MA4YWxkTrZu0gW'.replaceAll(' ', '-');

/** @returns the body of a request of type {@link formType}. */
export function formBody(fields: readonly FormField[]): Buffer {
  const pieces = fields.flatMap(({ name, value, filename, type }) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n`,
    type === undefined ? '' : `Content-Type: ${type}\r\n`,
    '\r\n',
    value,
    '\r\n',
  ]);
  return Buffer.concat([...pieces, `--${boundary}--\r\n`].map(piece => Buffer.from(piece)));
}

export const formType = `multipart/form-data; boundary=${boundary}`;

type Key = { readonly id?: string; readonly secret?: string };

/** Fields that sign `policy` in version 2. */
export function signVersion2(policy: unknown, { id = accessKeyId, secret = secretAccessKey }: Key = {}): Record<string, string> {
  const encoded = Buffer.from(JSON.stringify(policy)).toString('base64');
  return { AWSAccessKeyId: id, policy: encoded, signature: createHmac('sha1', secret).update(encoded).digest('base64') };
}

/** Fields that sign `policy` in version 4. */
export function signVersion4(policy: unknown, { id = accessKeyId, secret = secretAccessKey }: Key = {}): Record<string, string> {
  const encoded = Buffer.from(JSON.stringify(policy)).toString('base64');
  const date = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = [date.slice(0, 8), 'us-east-1', 's3', 'aws4_request'];
  const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();
  const key = scope.reduce<Buffer>((made, part) => hmac(made, part), Buffer.from(`AWS4${secret}`));
  return {
    'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    'x-amz-credential': [id, ...scope].join('/'),
    'x-amz-date': date,
    policy: encoded,
    'x-amz-signature': hmac(key, encoded).toString('hex'),
  };
}
