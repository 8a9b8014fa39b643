/** Checks that header and query signatures of version 4 share. */
import { parseHttpDate } from '@srv/lib-api/http';
import { amzDate, parseAmzDate } from '../protocol/dates.js';
import { S3Error } from '../protocol/errors.js';
import { authority } from './request.js';
import type { SignedRequest } from './request.js';
import type { Scope } from './v4.js';

/** `<key>/<day>/<region>/<service>/aws4_request`; the key may hold slashes. */
export function parseCredential(text: string): { accessKeyId: string; scope: Scope } | undefined {
  const match = /^(.{3,128})\/(\d{8})\/([\w-]+)\/([\w-]+)\/aws4_request$/.exec(text);
  return match
    ? { accessKeyId: match[1] ?? '', scope: { day: match[2] ?? '', region: match[3] ?? '', service: match[4] ?? '' } }
    : undefined;
}

interface SigningDate {
  readonly text: string;
  readonly time: Date;
}

/** @throws S3Error when the date is missing or invalid, or is not the day the key was made for. */
export function signingDate({ query, headers }: SignedRequest, { day }: Scope): SigningDate {
  const text = query.text('X-Amz-Date') ?? headers.text('x-amz-date') ?? headers.text('date');
  if (text === undefined)
    throw new S3Error('AccessDenied', { status: 400, message: 'AWS authentication requires a valid Date or x-amz-date header' });
  const iso = parseAmzDate(text);
  const time = iso ?? parseHttpDate(text);
  if (!time) throw new S3Error('MalformedDate');
  const found = { text: iso ? text : amzDate(time), time };
  if (found.text.startsWith(day)) return found;
  if (!parseAmzDate(`${day}T000000Z`))
    throw new S3Error('AuthorizationQueryParametersError', {
      message: `Invalid credential date "${day}". This date is not in the form YYYYMMDD.`,
    });
  throw new S3Error('AuthorizationHeaderMalformed', {
    message: 'The authorization header is malformed; Invalid credential date. Date is not the same as X-Amz-Date.',
  });
}

/** Headers that only describe the transport, are covered by the signature in another way, or are ignored. */
const mayBeUnsigned = /^x-amz-(content-sha256|date|user-agent|security-token|checksum-.*|sdk-.*|trailer|decoded-content-length|cf-id)$/;

/**
 * Makes sure that a signed URL cannot be turned into another request.
 * @throws S3Error `AccessDenied` when `host` or a header that changes the meaning of the request is not signed.
 */
export function checkSignedHeaders({ headers }: SignedRequest, signedHeaders: string): void {
  const signed = new Set(signedHeaders.toLowerCase().split(';'));
  const loose = headers.names().some(name => name.startsWith('x-amz-') && !signed.has(name) && !mayBeUnsigned.test(name));
  if ((signed.has('host') || signed.has(authority)) && !loose) return;
  throw new S3Error('AccessDenied', { message: 'There were headers present in the request which were not signed' });
}
