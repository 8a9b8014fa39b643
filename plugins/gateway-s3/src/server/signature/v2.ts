/** Signature version 2, in the header and in the query (the S3 gateway sheet, section 2.5). */

import { createHmac } from 'node:crypto';
import { parseHttpDate } from '@srv/lib-api/http';
import { parseAmzDate } from '../protocol/dates.js';
import { S3Error } from '../protocol/errors.js';
import { equalText } from './compare.js';
import { allowedSkew } from './request.js';
import type { PresentedSignature, SignedRequest } from './request.js';

/** Parts of the query that are signed. */
const subResources = new Set([
  'accelerate',
  'acl',
  'analytics',
  'copy-source',
  'cors',
  'defaultObjectAcl',
  'delete',
  'inventory',
  'lifecycle',
  'location',
  'logging',
  'metrics',
  'notification',
  'object-lock',
  'partNumber',
  'policy',
  'replication',
  'requestPayment',
  'response-cache-control',
  'response-content-disposition',
  'response-content-encoding',
  'response-content-language',
  'response-content-type',
  'response-expires',
  'restore',
  'select',
  'select-type',
  'storageClass',
  'tagging',
  'torrent',
  'uploadId',
  'uploads',
  'versionId',
  'versioning',
  'versions',
  'website',
]);
/** CloudFront adds it to what the client has signed. */
const addedByProxies = 'x-amz-cf-id';
const standard = ['content-md5', 'content-type'];

export function findV2Header(request: SignedRequest): PresentedSignature | undefined {
  const match = /^AWS ([^:\s]{3,128}):([A-Za-z0-9+/=]+)$/.exec(request.headers.first('authorization')?.trim() ?? '');
  if (!match) return undefined;
  const [, accessKeyId = '', signature = ''] = match;
  return {
    accessKeyId,
    verify(secret, now) {
      const amzDate = request.headers.text('x-amz-date');
      const text = amzDate ?? request.headers.text('date');
      if (text === undefined) throw new S3Error('MissingFields');
      const date = parseHttpDate(text) ?? parseAmzDate(text);
      if (!date) throw new S3Error('MalformedDate');
      // Signed once: an `x-amz-date` blanks the line for the date; some clients fill it all the same.
      const plain = request.headers.get('date')?.trim() ?? '';
      check(request, secret, signature, amzDate === undefined ? [plain] : ['', plain]);
      if (Math.abs(now.getTime() - date.getTime()) > allowedSkew) throw new S3Error('RequestTimeTooSkewed');
      return undefined;
    },
  };
}

export function findV2Query(request: SignedRequest): PresentedSignature | undefined {
  const { query, headers } = request;
  const accessKeyId = query.text('AWSAccessKeyId');
  if (accessKeyId === undefined || !query.has('Expires') || headers.text('authorization') !== undefined) return undefined;
  const signature = query.text('Signature');
  if (signature === undefined) throw new S3Error('MissingFields');
  const expires = query.get('Expires') ?? '';
  if (!/^-?\d{1,12}$/.test(expires))
    throw new S3Error('AccessDenied', { message: `Invalid date (should be seconds since epoch): ${expires}` });
  return {
    accessKeyId,
    verify(secret, now) {
      check(request, secret, signature, [expires]);
      if (now.getTime() > Number(expires) * 1000) throw new S3Error('AccessDenied', { message: 'Request has expired' });
      return undefined;
    },
  };
}

/** @param dates values allowed in the line for the date. */
function check(request: SignedRequest, secret: string, signature: string, dates: readonly string[]): void {
  const matches = combinations(dates, resourcesOf(request)).some(([date, resource]) => {
    const text = [
      request.method,
      ...standard.map(name => request.headers.get(name)?.trim() ?? ''),
      date,
      ...amzHeaders(request),
      resource,
    ].join('\n');
    return equalText(createHmac('sha1', secret).update(text, 'latin1').digest('base64'), signature);
  });
  if (!matches) throw new S3Error('SignatureDoesNotMatch');
}

function amzHeaders({ headers }: SignedRequest): string[] {
  return headers
    .names()
    .filter(name => name.startsWith('x-amz-') && name !== addedByProxies)
    .sort()
    .map(
      name =>
        `${name}:${headers
          .all(name)
          .map(value => value.trim())
          .join(',')}`,
    );
}

function combinations<A, B>(all: readonly A[], others: readonly B[]): [A, B][] {
  return all.flatMap(one => others.map((other): [A, B] => [one, other]));
}

/** A bucket is named with and without a slash at its end, and clients sign one form while they send the other. */
function resourcesOf(request: SignedRequest): string[] {
  const { path, hostRepository } = request;
  const bucket = hostRepository === undefined ? /^(\/[^/]+)\/?$/.exec(path)?.[1] : undefined;
  const paths = bucket === undefined ? [path] : [path, path === bucket ? `${bucket}/` : bucket];
  return paths.map(form => canonicalResource(request, form));
}

function canonicalResource({ query, hostRepository }: SignedRequest, path: string): string {
  const signed = query.pairs
    .filter(([name]) => subResources.has(name))
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, value]) => (value === '' ? name : `${name}=${value}`));
  const resource = (hostRepository === undefined ? '' : `/${hostRepository}`) + path;
  // Decoded values may be anything; the string to sign is bytes.
  return Buffer.from(signed.length === 0 ? resource : `${resource}?${signed.join('&')}`, 'utf8').toString('latin1');
}
