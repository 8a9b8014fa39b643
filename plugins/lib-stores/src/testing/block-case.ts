/** What the cases of the block suite share. */
import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { identifierType } from '../block/contract.js';
import { storeOf } from '../block/joined-stores.js';
import { inStoreOf } from '../block/namespaces.js';
import type { BlockStore, GetOptions, ObjectPointer } from '../block/contract.js';

export interface BlockCase {
  readonly store: () => BlockStore;
  /** A namespace of this suite alone. */
  readonly namespace: () => string;
  readonly options: BlockSuiteOptions;
}

export interface BlockSuiteOptions {
  /** Milliseconds for each case, and for all of them: a store that hangs fails instead. Default: half an hour. */
  readonly timeout?: number;
  /** Smallest part the backend takes, except the last, in bytes. Default: 5 MiB. */
  readonly minPartBytes?: number;
  /** Whether the backend cannot hold a key at all; such keys are left out. */
  readonly refusesKey?: (key: string) => boolean;
  /** The backend makes up etags of its own, so that no MD5 can be expected of them. */
  readonly opaqueEtags?: boolean;
  /** The server itself may read a part that is replaced while it joins the parts: that race is left out. */
  readonly joinsReplacedParts?: boolean;
}

/** A pointer below the suite's namespace. */
export const relative = ({ namespace }: BlockCase, identifier: string): ObjectPointer => ({
  namespace: namespace(),
  identifier,
  identifierType: identifierType.relative,
});

/** The same object by its full URI. */
export const full = (suite: BlockCase, pointer: ObjectPointer): ObjectPointer => ({
  namespace: suite.namespace(),
  identifier: suite.store().resolve(pointer),
  identifierType: identifierType.full,
});

/** The store itself, where the suite runs over several: what it says about itself is that of one store. */
export const single = (suite: BlockCase): BlockStore => storeOf(suite.store(), suite.namespace());

/** What a walk of everything below a key takes. */
export const walkable = (suite: BlockCase, key: string): string =>
  inStoreOf(suite.namespace(), suite.store().resolve(relative(suite, key)));

/** A key no other case uses. */
export const newKey = (name = 'object'): string => `${randomUUID()}/${name}`;

export const read = async (store: BlockStore, pointer: ObjectPointer, options?: GetOptions): Promise<Buffer> =>
  buffer(await store.get(pointer, options));

/** Bytes that differ from place to place, so that misplaced ones are noticed. */
export function pattern(size: number, seed = 1): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  for (let i = 0; i < size; i++) bytes[i] = (i * 31 + (i >>> 8) * 7 + (i >>> 16) + seed) & 0xff;
  return bytes;
}

/** A stream of `bytes` in chunks. @param fail after the bytes the stream fails instead of ending. */
export function streamOf(bytes: Buffer, { chunk = 64 << 10, fail = false } = {}): Readable {
  return Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
      if (fail) throw new Error('the body broke off');
    })(),
    { objectMode: false },
  );
}

export const md5 = (...parts: readonly Buffer[]): string =>
  parts.reduce((hash, part) => hash.update(part), createHash('md5')).digest('hex');

/** The etag of a completed upload: MD5 of the parts' binary MD5s, a dash, and their count. */
export const multipartEtag = (etags: readonly string[]): string => `${md5(...etags.map(etag => Buffer.from(etag, 'hex')))}-${etags.length}`;
