/** The caller: credentials of the HTTP API first, then AWS signatures. */
import { S3Error } from './protocol/errors.js';
import { findSignature } from './signature/find.js';
import type { Credentials, Identity, User } from '@srv/kernel';
import type { ChunkSigner } from './body/chunks.js';
import type { HeaderLines } from './protocol/headers.js';
import type { SignatureKind } from './signature/find.js';
import type { PresentedSignature, SignedRequest } from './signature/request.js';

export interface Caller {
  readonly user: User;
  /** Continues the signature over chunks of the body. */
  readonly signer?: ChunkSigner | undefined;
  /** What kind of signature of the request was verified; absent: other credentials, or the signature of a form. */
  readonly signature?: SignatureKind | undefined;
}

interface Identification {
  readonly identity: Identity;
  readonly now: () => Date;
}

/**
 * @param from address of the caller.
 * @throws S3Error that names what is wrong with the credentials; `AccessDenied` without any.
 */
export async function identify(request: SignedRequest, { identity, now }: Identification, from: () => string): Promise<Caller> {
  const direct = directCredentials(request.headers, from);
  if (direct) {
    const user = await identity.authenticate(direct);
    if (!user) throw new S3Error('AccessDenied', { status: 401, message: 'error authenticating request' });
    return { user };
  }
  const signature = findSignature(request);
  if (!signature) throw new S3Error(isAnonymous(request) ? 'AccessDenied' : 'MissingFields');
  return { ...(await verified(signature, { identity, now })), signature: signature.kind };
}

/** The caller whose signature it is. @throws S3Error that says what is wrong with it. */
export async function verified(signature: PresentedSignature, { identity, now }: Identification): Promise<Caller> {
  let signer: ChunkSigner | undefined;
  let refusal: unknown;
  const check = (secretAccessKey: string): boolean => {
    try {
      signer = signature.verify(secretAccessKey, now());
      return true;
    } catch (error) {
      refusal = error;
      return false;
    }
  };
  const { accessKeyId, sessionToken } = signature;
  const user = await identity.authenticate({ kind: 'signature', accessKeyId, check, sessionToken: sessionToken || undefined });
  if (!user) throw refusal ?? new S3Error('InvalidAccessKeyId');
  return { user, signer };
}

/** A client without credentials. Others send some of a kind that is not known here. */
function isAnonymous({ headers }: SignedRequest): boolean {
  return headers.text('authorization') === undefined;
}

/** Tokens and passwords as for the HTTP API. Cookies do not count: pages of other sites could send them here. */
function directCredentials(headers: HeaderLines, from: () => string): Credentials | undefined {
  const header = headers.first('authorization')?.trim() ?? '';
  const bearer = /^bearer +(\S+)$/i.exec(header)?.[1];
  if (bearer !== undefined) return { kind: 'token', token: bearer };
  const basic = /^basic +([A-Za-z0-9+/=]+)$/i.exec(header)?.[1];
  if (basic === undefined) return undefined;
  const text = Buffer.from(basic, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) throw new S3Error('AccessDenied', { status: 401, message: 'error authenticating request' });
  return { kind: 'basic', accessKeyId: text.slice(0, colon), secretAccessKey: text.slice(colon + 1), from: from() };
}
