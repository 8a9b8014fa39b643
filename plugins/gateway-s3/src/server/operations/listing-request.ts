/** The parameters of a listing, in both versions of the protocol. */
import { splitKey } from '../protocol/address.js';
import { S3Error } from '../protocol/errors.js';
import { limitOf } from './numbers.js';
import type { Query } from '../protocol/query.js';

export interface ListingRequest {
  readonly version: 1 | 2;
  /** As sent, for the answer. */
  readonly prefix: string;
  readonly delimiter: string;
  readonly maxKeys: number;
  readonly urlEncoded: boolean;
  readonly fetchOwner: boolean;
  readonly marker: string;
  readonly startAfter: string;
  /** As sent; empty when absent. */
  readonly token: string;
  /** Keys up to this one were seen; empty: from the start. */
  readonly after: string;
  readonly within: ListedPlace;
}

/** Refs are listed when the prefix has no slash; else the objects below `path` at `ref`. */
export type ListedPlace =
  | { readonly kind: 'refs'; readonly prefix: string }
  | { readonly kind: 'objects'; readonly ref: string; readonly path: string };

const maxKeys = 1000;
const tokenMark = 'k';

/** The key a listing stopped at, as a token that survives any transport. */
export function encodeToken(key: string): string {
  return tokenMark + Buffer.from(key, 'utf8').toString('base64url');
}

/** @throws S3Error `InvalidArgument`. */
export function decodeToken(token: string): string {
  const key = Buffer.from(token.slice(tokenMark.length), 'base64url').toString('utf8');
  if (encodeToken(key) !== token) throw new S3Error('InvalidArgument', { message: 'The continuation token provided is incorrect' });
  return key;
}

/** @param markerName query name of the marker in version 1. @throws S3Error `BadRequest` or `InvalidArgument`. */
export function parseListing(query: Query, markerName = 'marker'): ListingRequest {
  const type = query.get('list-type') ?? '';
  if (!['', '1', '2'].includes(type)) throw new S3Error('BadRequest');
  const version = type === '2' ? 2 : 1;
  const encoding = query.text('encoding-type');
  if (encoding !== undefined && encoding !== 'url')
    throw new S3Error('InvalidArgument', { message: 'Invalid Encoding Method specified in Request' });
  const prefix = query.get('prefix') ?? '';
  const within = listedPlace(query);
  const [marker, startAfter, token] = [query.get(markerName) ?? '', query.get('start-after') ?? '', query.get('continuation-token') ?? ''];
  const after = version === 1 ? marker : token === '' ? startAfter : decodeToken(token);
  return {
    version,
    prefix,
    delimiter: query.get('delimiter') ?? '',
    maxKeys: limitOf(query, 'max-keys', { max: maxKeys }) ?? maxKeys,
    urlEncoded: encoding === 'url',
    fetchOwner: version === 1 || query.get('fetch-owner')?.toLowerCase() === 'true',
    marker,
    startAfter,
    token,
    after,
    within,
  };
}

/**
 * What is listed: for the permission and for the listing itself. One slash before the ref is ignored.
 * @throws S3Error `BadRequest` for a prefix that begins with two slashes, or is one.
 */
export function listedPlace(query: Query): ListedPlace {
  const prefix = query.get('prefix') ?? '';
  const bare = prefix.startsWith('/') ? prefix.slice(1) : prefix;
  if (prefix !== '' && (bare === '' || bare.startsWith('/'))) throw new S3Error('BadRequest');
  const { ref, path } = splitKey(bare);
  return bare.includes('/') ? { kind: 'objects', ref, path } : { kind: 'refs', prefix: bare };
}

/**
 * The position `after` within the objects at `ref`: it need not be a key, nor one at that ref.
 * @returns a path; empty: before all of them; undefined: all of them have been seen.
 */
export function seenAt(ref: string, after: string): string | undefined {
  const marked = splitKey(after.replace(/^\//, ''));
  if (after === '' || marked.ref.toLowerCase() === ref.toLowerCase()) return marked.path;
  return Buffer.compare(Buffer.from(`${marked.ref}/`), Buffer.from(`${ref}/`)) < 0 ? '' : undefined;
}
