/** Version 2 of other services, which some Hadoop clients use for S3 as well: a query with `Timestamp` (section 2.5). */
import { createHmac } from 'node:crypto';
import { S3Error } from '../protocol/errors.js';
import { equalText } from './compare.js';
import { allowedSkew } from './request.js';
import type { PresentedSignature, SignedRequest } from './request.js';

export function findTimestampSignature(request: SignedRequest): PresentedSignature | undefined {
  const { query, headers, path, hostRepository } = request;
  const accessKeyId = query.text('AWSAccessKeyId');
  const signature = query.text('Signature');
  const fits = query.get('SignatureMethod') === 'HmacSHA256' && query.get('SignatureVersion') === '2';
  if (accessKeyId === undefined || signature === undefined || !fits || headers.text('authorization') !== undefined) return undefined;
  return {
    accessKeyId,
    verify(secret, now) {
      const timestamp = query.text('Timestamp');
      if (timestamp === undefined) throw new S3Error('MissingFields');
      const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(timestamp) ? Date.parse(timestamp) : Number.NaN;
      if (Number.isNaN(time)) throw new S3Error('MalformedDate');
      const resource = (hostRepository === undefined ? '' : `/${hostRepository}`) + path;
      // These clients always sign as if they posted.
      const text = ['POST', headers.first('host') ?? '', resource, formQuery(query.pairs)].join('\n');
      const expected = createHmac('sha256', secret).update(text, 'utf8').digest('base64');
      if (!equalText(expected, signature)) throw new S3Error('SignatureDoesNotMatch');
      if (Math.abs(now.getTime() - time) > allowedSkew) throw new S3Error('RequestTimeTooSkewed');
      return undefined;
    },
  };
}

function formQuery(pairs: readonly (readonly [string, string])[]): string {
  return pairs
    .filter(([name]) => name !== 'Signature')
    .map(([name, value]) => [formEncode(name), formEncode(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function formEncode(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}
