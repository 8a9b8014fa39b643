/** Version 4 in the query: pre-signed URLs. */
import { S3Error } from '../protocol/errors.js';
import { allowedSkew } from './request.js';
import { algorithm, chunkSigner, isKnownSigned, unsignedPayload } from './v4.js';
import { checkSignedHeaders, parseCredential, signingDate } from './v4-checks.js';
import type { PresentedSignature, SignedRequest } from './request.js';

const parameters = ['X-Amz-Credential', 'X-Amz-Signature', 'X-Amz-Date', 'X-Amz-SignedHeaders', 'X-Amz-Expires'];
/** Seconds: seven days. */
const longest = 604_800;

const refused = (message: string, status?: number): S3Error => new S3Error('AuthorizationQueryParametersError', { message, status });

export function findQuerySignature(request: SignedRequest): PresentedSignature | undefined {
  const { query, headers } = request;
  const kind = query.get('X-Amz-Algorithm');
  if (kind === undefined || headers.text('authorization') !== undefined) return undefined;
  if (kind.toUpperCase() !== algorithm) throw refused(`X-Amz-Algorithm only supports "${algorithm}"`);
  if (!parameters.every(name => query.has(name))) throw new S3Error('MissingFields');
  const text = query.get('X-Amz-Credential') ?? '';
  if (text === '') throw new S3Error('InvalidRequest', { message: 'Missing Credential field for this request.' });
  const credential = parseCredential(text);
  if (!credential) {
    throw refused(
      'Error parsing the X-Amz-Credential parameter; the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".',
    );
  }
  const expires = parseExpires(query.get('X-Amz-Expires') ?? '');
  return {
    accessKeyId: credential.accessKeyId,
    sessionToken: query.text('X-Amz-Security-Token'),
    verify(secret, now) {
      const { scope } = credential;
      const date = signingDate(request, scope);
      const signedHeaders = query.get('X-Amz-SignedHeaders') ?? '';
      const payloadHash = headers.get('x-amz-content-sha256')?.trim() ?? query.text('X-Amz-Content-Sha256') ?? unsignedPayload;
      const given = { scope, signedHeaders, date: date.text, payloadHash, signature: query.get('X-Amz-Signature') ?? '' };
      if (!isKnownSigned(request, given, secret)) throw new S3Error('SignatureDoesNotMatch');
      checkSignedHeaders(request, signedHeaders);
      const age = now.getTime() - date.time.getTime();
      if (age < -allowedSkew) throw new S3Error('AccessDenied', { message: 'Request is not valid yet' });
      if (age > expires * 1000) throw new S3Error('AccessDenied', { message: 'Request has expired' });
      return chunkSigner(given, secret);
    },
  };
}

function parseExpires(text: string): number {
  if (!/^[+-]?\d{1,15}$/.test(text)) throw refused('X-Amz-Expires should be a number');
  const seconds = Number(text);
  if (seconds < 0) throw refused('X-Amz-Expires must be non-negative', 403);
  if (seconds > longest)
    throw refused(
      'X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds',
      403,
    );
  return seconds;
}
