/** Objects as the JSON API describes them. */
import { bareEtag } from '@srv/lib-stores/block';
import { unexpectedAnswer } from './errors.js';

export interface ObjectResource {
  readonly name: string;
  /** Decimal. */
  readonly size?: string;
  readonly generation?: string;
  /** Base64; absent for composed objects, and in listings for those under a customer's key. */
  readonly md5Hash?: string;
  readonly etag?: string;
  /** RFC 3339. */
  readonly updated?: string;
  readonly timeCreated?: string;
  readonly storageClass?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly customerEncryption?: unknown;
}

/** Kind of every page of a listing, also of an empty one. */
export const pageKind = 'storage#objects';

/** What is asked for when many objects are. */
export const listedFields = 'kind,nextPageToken,items(name,size,generation,md5Hash,etag,updated,metadata,customerEncryption)';

/** @param json of an answer. @throws RequestFailure when it does not describe an object. */
export function objectOf(json: unknown): ObjectResource {
  const { name } = (json ?? {}) as Partial<ObjectResource>;
  if (typeof name !== 'string') throw unexpectedAnswer('it does not describe an object');
  return json as ObjectResource;
}

/**
 * Hex of the MD5 where the service reports it to everybody, else its own etag, which changes with every write: an etag of
 * an object must not depend on the caller.
 */
export function etagOf({ md5Hash, etag, customerEncryption }: ObjectResource): string {
  return md5Hash !== undefined && customerEncryption === undefined ? Buffer.from(md5Hash, 'base64').toString('hex') : bareEtag(etag ?? '');
}

export function sizeOf({ size }: ObjectResource): number {
  return Number(size ?? 0);
}

export function updatedOf({ updated, timeCreated }: ObjectResource): Date {
  return new Date(updated ?? timeCreated ?? 0);
}
