/** Where an object is: bucket and name. */
import { SrvError } from '@srv/kernel';
import { bucketKey, formatLocation } from '@srv/lib-stores/block';
import type { BlockPlace, BucketKey, ObjectPointer } from '@srv/lib-stores/block';

export const scheme = 'gs';

export interface ObjectPlace extends BlockPlace, BucketKey {}

/** @throws SrvError `invalid` for an address of another scheme, without a bucket or key, or one that requests cannot name. */
export function findObject(pointer: ObjectPointer): ObjectPlace {
  const { bucket, key } = bucketKey(pointer, scheme);
  // In the path of a request these would name the bucket.
  if (key === '.' || key === '..') throw new SrvError('invalid', `${key}: the service does not accept the name`);
  return { bucket, key, address: addressOf(bucket, key) };
}

export function addressOf(bucket: string, key: string): string {
  return formatLocation({ scheme, namespace: bucket, key });
}
