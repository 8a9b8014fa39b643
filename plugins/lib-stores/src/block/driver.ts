/** What a driver of a block store says about its backend. `createBlockStore` adds everything that all stores have in common. */
import type { Readable } from 'node:stream';
import type {
  BlockStore,
  ByteRange,
  CompletedUpload,
  GetOptions,
  ObjectPointer,
  ObjectProperties,
  OpenUpload,
  PartList,
  PreSigned,
  PutOptions,
  SignedRequest,
  StorageInfo,
  UploadStep,
  UploadedPart,
  VendRequest,
  VendedCredentials,
  WalkOptions,
  WalkedObject,
} from './contract.js';
import type { PartPage } from './parts.js';

/** Where an object is, in the terms of the backend. */
export interface BlockPlace {
  /** Full URI, for messages. */
  readonly address: string;
}

/** What is known about a call when it fails. */
export interface DriverCall {
  /** The caller's: when it is aborted, that is why the call failed. */
  readonly signal?: AbortSignal | undefined;
  /** What a bare "not found" means. Default: the object does not exist. */
  readonly absent?: 'upload';
}

/**
 * Its methods are called with checked arguments, while the store is open, and unless the caller has already aborted.
 * @typeParam Place of an object.
 * @typeParam Prefix what a walk begins at.
 */
export interface BlockDriver<Place extends BlockPlace = BlockPlace, Prefix extends BlockPlace = Place> {
  readonly info: StorageInfo;
  readonly uploads: UploadDriver<Place>;
  /** Full URI of an object. @throws SrvError `invalid` for an address of another scheme. */
  resolve(pointer: ObjectPointer): string;
  /** @throws SrvError `invalid` for an address without a key, or one that the backend cannot have. */
  locate(pointer: ObjectPointer): Place | Promise<Place>;
  /** @throws SrvError `invalid` for an address of another scheme. */
  locatePrefix(uri: string): Prefix | Promise<Prefix>;
  /** What a failure of a method means to the caller of the store; SrvErrors stay what they are. Default: nothing else. */
  explain?(error: unknown, place: Place | Prefix, call: DriverCall): unknown;

  put(place: Place, body: Readable | Buffer, options: PutOptions): Promise<{ lastModified: Date }>;
  putFile?(place: Place, path: string, options: Pick<PutOptions, 'size'>): Promise<{ lastModified: Date }>;
  get(place: Place, options: GetOptions): Promise<Readable>;
  /** @throws what is `no_data` for a missing object. */
  properties(place: Place): Promise<ObjectProperties>;
  /** Where it costs less than {@link properties}. */
  exists?(place: Place): Promise<boolean>;
  /** A missing object is not an error. */
  remove(place: Place): Promise<void>;
  /** Requests that remove one object each, at a time. */
  readonly removalsAtOnce: number;
  /** Where one request removes many objects. */
  readonly batchRemoval?: BatchRemoval<Place>;
  copy(source: Place, destination: Place, signal?: AbortSignal): Promise<void>;

  /** Why URLs are not signed, where {@link info} says so. */
  readonly unsigned: { readonly object: string; readonly part: string };
  preSign?(place: Place, mode: 'read' | 'write', filename?: string): Promise<PreSigned>;
  preSignPart?(place: Place, uploadId: string, partNumber: number): Promise<PreSigned>;
  preSignUpload?(place: Place, step: UploadStep<Place>): Promise<SignedRequest>;

  /** Objects in byte order of their keys. */
  walk(prefix: Prefix, options: WalkOptions): AsyncIterable<readonly WalkedObject[]>;
  openUploads?(prefix: Prefix, options: { readonly signal?: AbortSignal | undefined }): AsyncIterable<readonly OpenUpload[]>;
  readonly checkReadable?: NonNullable<BlockStore['checkReadable']>;
  readonly region?: NonNullable<BlockStore['region']>;
  /** Credentials for the objects below a prefix; see {@link BlockStore.vend}. */
  vend?(prefix: Prefix, request: VendRequest): Promise<VendedCredentials>;
  /** Called once. */
  close(): Promise<void> | void;
}

/** Multipart uploads of a backend that has them; {@link PartUploads} makes them for one that has objects only. */
export interface UploadDriver<Place extends BlockPlace = BlockPlace> {
  /** @returns the id of the upload. */
  begin(place: Place, options: { readonly storageClass?: string }): Promise<string>;
  part(place: Place, uploadId: string, partNumber: number, body: Readable | Buffer, options: PutOptions): Promise<{ etag: string }>;
  copyPart(
    source: Place,
    place: Place,
    uploadId: string,
    partNumber: number,
    range: ByteRange | undefined,
  ): Promise<{ etag: string; lastModified: Date }>;
  list(place: Place, uploadId: string, page: PartPage): Promise<PartList>;
  /** One caller at a time completes or aborts an upload. @param listed as the caller gave them, the etags without quotes. */
  complete(place: Place, uploadId: string, listed: readonly UploadedPart[]): Promise<CompletedUpload>;
  abort(place: Place, uploadId: string): Promise<void>;
}

export interface BatchRemoval<Place> {
  /** Objects of one request. */
  readonly limit: number;
  /** Objects of one group go with one request. */
  groupOf(place: Place): string;
  /** Whether a request for many can name the object. Default: all. */
  fits?(place: Place): boolean;
  /** @returns why objects were not removed; those that are not named are gone. */
  remove(places: readonly Place[], signal: AbortSignal | undefined): Promise<ReadonlyMap<Place, unknown>>;
  /** Whether the failure of a request means that the backend has no such request; the objects are then removed one by one. */
  isUnsupported(failure: unknown): boolean;
}

/** Runs a part of a method whose failures concern another place than the method's. */
export async function explaining<Place extends BlockPlace, Prefix extends BlockPlace, T>(
  driver: Pick<BlockDriver<Place, Prefix>, 'explain'>,
  place: Place | Prefix,
  call: DriverCall,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw driver.explain ? driver.explain(error, place, call) : error;
  }
}
