/** What a backend brings to a store that is defined by it. */
import type { ObjectProperties, PutOptions, StorageInfo } from './contract.js';

/** What is special about a backend. Addresses are full URIs such as `mem://bucket/key`: opaque, never decoded or normalised. */
export interface BlockBackend {
  /** The `blockstore.type` it serves. */
  readonly type: string;
  /** Of its addresses, without `://`. Default: the type. */
  readonly scheme?: string;
  /** What differs from a store that neither signs nor imports. */
  readonly info?: Partial<StorageInfo>;
  /**
   * Reads `body` to its end and then shows the object, whole, with `facts()`; when `body` throws, nothing changes. Durable
   * when it resolves.
   */
  write(address: string, body: AsyncIterable<Buffer>, facts: () => ObjectProperties): Promise<void>;
  /** Bytes from `start` to `end`, both inclusive; either may be beyond the end. `undefined`: the object does not exist. */
  read(address: string, start: number, end: number): Promise<Bytes | undefined> | Bytes | undefined;
  properties(address: string): Promise<ObjectProperties | undefined> | ObjectProperties | undefined;
  /** An absent object is not an error. */
  remove(address: string): Promise<void> | void;
  /** Objects whose address begins with `prefix` and is greater than `after`, in byte order of the addresses. */
  list(prefix: string, after: string): AsyncIterable<ListedObject> | Iterable<ListedObject>;
  close?(): Promise<void> | void;
}

/** An object of a listing. */
export interface ListedObject extends ObjectProperties {
  readonly address: string;
}

export type Bytes = Buffer | AsyncIterable<Buffer> | Iterable<Buffer>;

/** How an object is written: with the etag given, or the MD5 of its bytes. */
export interface WriteOptions extends PutOptions {
  readonly etag?: string;
}
