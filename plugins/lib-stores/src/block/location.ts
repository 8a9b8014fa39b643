/** Where an object lies in a store of buckets. */
import { SrvError } from '@srv/kernel';
import { locate, splitScheme } from './address.js';
import type { ObjectPointer } from './contract.js';

export interface BucketKey {
  readonly bucket: string;
  /** Never empty, except for a prefix. Never decoded or normalised. */
  readonly key: string;
}

/**
 * Bucket and key of a pointer: the namespace's path goes before the key.
 * @throws SrvError `invalid` for another scheme, a missing bucket, or a missing key.
 */
export function bucketKey(pointer: ObjectPointer, scheme: string): BucketKey {
  const { namespace, key } = locate(pointer, [scheme]);
  const slash = namespace.indexOf('/');
  const found = slash < 0 ? { bucket: namespace, key } : { bucket: namespace.slice(0, slash), key: `${namespace.slice(slash + 1)}/${key}` };
  if (found.bucket === '') throw new SrvError('invalid', `${pointer.namespace}: missing bucket`);
  if (key === '') throw new SrvError('invalid', `${pointer.namespace}: missing object key`);
  return found;
}

/**
 * Bucket and prefix of a URI to walk; the prefix may be empty.
 * @throws SrvError `invalid` for another scheme or a missing bucket.
 */
export function bucketPrefix(uri: string, scheme: string): BucketKey {
  const parts = splitScheme(uri);
  if (parts?.scheme !== scheme) throw new SrvError('invalid', `${uri}: invalid address; it must start with ${scheme}://`);
  const slash = parts.rest.indexOf('/');
  const bucket = slash < 0 ? parts.rest : parts.rest.slice(0, slash);
  if (bucket === '') throw new SrvError('invalid', `${uri}: missing bucket`);
  return { bucket, key: slash < 0 ? '' : parts.rest.slice(slash + 1) };
}
