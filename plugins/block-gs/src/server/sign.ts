/** Signed URLs, version 4. */
import { messageOf } from '@srv/kernel';
import { CredentialsFailure } from './errors.js';
import type { Storage } from '@google-cloud/storage';
import type { BucketKey } from '@srv/block-driver';
import type { PreSigned } from '@srv/kernel';

export interface SignOptions {
  readonly mode: 'read' | 'write';
  /** Milliseconds from now. */
  readonly expiresIn: number;
  readonly disposition?: string;
}

/** Signed with the key of the service account, or by the service for an identity that may sign. */
export async function signUrl(
  storage: Storage,
  { bucket, key }: BucketKey,
  { mode, expiresIn, disposition }: SignOptions,
): Promise<PreSigned & { expiry: Date }> {
  // Signatures count whole seconds.
  const expiry = new Date(Math.ceil((Date.now() + expiresIn) / 1000) * 1000);
  try {
    const [url] = await storage
      .bucket(bucket)
      .file(key)
      .getSignedUrl({
        version: 'v4',
        action: mode,
        expires: expiry,
        ...(disposition === undefined ? {} : { responseDisposition: disposition }),
      });
    return { url, expiry };
  } catch (error) {
    throw new CredentialsFailure(`URLs cannot be signed: ${messageOf(error)}`);
  }
}
