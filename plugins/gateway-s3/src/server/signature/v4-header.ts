/** Version 4 in the `Authorization` header. */
import { S3Error } from '../protocol/errors.js';
import { allowedSkew } from './request.js';
import { chunkSigner, isSignedBy, unsignedPayload } from './v4.js';
import { checkSignedHeaders, parseCredential, signingDate } from './v4-checks.js';
import type { PresentedSignature, SignedRequest } from './request.js';

const shape = /^AWS4-HMAC-SHA256 +Credential=([^,]+), *SignedHeaders=([\w\-:;.#!$%&'*+^`|~]+), *Signature=([0-9a-f]{64})$/;

export function findHeaderSignature(request: SignedRequest): PresentedSignature | undefined {
  const header = request.headers.first('authorization')?.trim();
  if (header === undefined || !/^AWS4-HMAC-SHA256\b/.test(header)) return undefined;
  const match = shape.exec(header);
  const credential = match && parseCredential((match[1] ?? '').trim());
  if (!match || !credential) throw new S3Error('AuthorizationHeaderMalformed');
  const [, , signedHeaders = '', signature = ''] = match;
  return {
    accessKeyId: credential.accessKeyId,
    sessionToken: request.headers.text('x-amz-security-token'),
    verify(secret, now) {
      const { scope } = credential;
      const date = signingDate(request, scope);
      const payloadHash = request.headers.get('x-amz-content-sha256')?.trim() ?? unsignedPayload;
      const given = { scope, signedHeaders, date: date.text, payloadHash, signature };
      if (!isSignedBy(request, given, secret)) throw new S3Error('SignatureDoesNotMatch');
      checkSignedHeaders(request, signedHeaders);
      const age = now.getTime() - date.time.getTime();
      if (age > allowedSkew) throw new S3Error('RequestTimeTooSkewed');
      if (age < -allowedSkew) throw new S3Error('AccessDenied', { message: 'Request is not valid yet' });
      return chunkSigner(given, secret);
    },
  };
}
