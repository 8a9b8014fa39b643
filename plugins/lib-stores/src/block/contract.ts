/** The block store contract: named byte streams. Rules and error texts: the adapter contract of the block-storage sheet. */

import type { Readable } from 'node:stream';
import type { BlockStore } from '@srv/kernel';

export type { BlockStore } from '@srv/kernel';

/** How an identifier is to be read. The numbers are stored in entries (field `address_type`). */
export const identifierType = { byPrefix: 0, relative: 1, full: 2 } as const;
export type IdentifierType = (typeof identifierType)[keyof typeof identifierType];

export interface ObjectPointer {
  /** Storage namespace of the repository, as `namespaceOf` spells it: `<scheme>://<bucket>/<path>`, its store in front. */
  readonly namespace: string;
  /** A key below the namespace, or a full URI. Never normalised. */
  readonly identifier: string;
  readonly identifierType: IdentifierType;
}

export interface PutOptions {
  /** Bytes; absent when unknown. A body of another length is refused with `invalid`. */
  readonly size?: number | undefined;
  readonly storageClass?: string | undefined;
  /** MD5 of the body in hex, to be asked for once the body has ended: saves a store that needs it from hashing again. */
  readonly md5?: (() => string | Promise<string>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ByteRange {
  /** First byte, from 0. */
  readonly start: number;
  /** Last byte, inclusive; clamped to the end of the object. */
  readonly end: number;
}

export interface GetOptions {
  readonly range?: ByteRange | undefined;
  /** Bytes the object is believed to have, so that a store can choose how to read it. It is only a hint: the object is read as it is. */
  readonly expectedSize?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ObjectProperties {
  readonly size: number;
  readonly lastModified: Date;
  /** Without quotes. */
  readonly etag: string;
  readonly storageClass?: string | undefined;
}

export interface UploadedPart {
  /** 1 to 10000. */
  readonly partNumber: number;
  /** Without quotes. */
  readonly etag: string;
}

export interface ListedPart extends UploadedPart {
  readonly size: number;
  readonly lastModified: Date;
}

export interface PartList {
  readonly parts: readonly ListedPart[];
  readonly nextPartNumberMarker?: number;
  readonly isTruncated: boolean;
}

export interface CompletedUpload {
  readonly etag: string;
  readonly size: number;
  readonly lastModified: Date;
}

export interface WalkOptions {
  /** Keys up to this one, relative to the URI, are left out. */
  readonly after?: string;
  readonly signal?: AbortSignal | undefined;
  /** `false`: no etags are needed. A store that must read objects for them leaves them empty. */
  readonly etags?: boolean;
  /** `false`: names are enough. A store that must read every object for its size and times leaves them 0. */
  readonly facts?: boolean;
  /**
   * Asked before a folder is listed, with its key relative to the URI and a text that changes whenever an object comes to
   * or leaves the folder itself; `true` leaves the folder out. Only stores that have such a text ask.
   */
  readonly isKnown?: (folder: string, state: string) => boolean;
}

/** An object that could not be removed, and why. */
export interface RemovalFailure {
  readonly pointer: ObjectPointer;
  readonly error: Error;
}

/** A multipart upload that was begun and has not ended. */
export interface OpenUpload {
  /** Full URI of the object that it will become. */
  readonly address: string;
  readonly uploadId: string;
  readonly startedAt: Date;
}

export interface WalkedObject {
  /** Key relative to the walked URI. */
  readonly relativeKey: string;
  /** Full URI of the object. */
  readonly address: string;
  readonly size: number;
  readonly etag: string;
  readonly lastModified: Date;
  /** Nanoseconds beyond the millisecond of `lastModified`, 0 to 999999. Default: 0. */
  readonly lastModifiedNanos?: number;
}

/** Facts a driver states about itself; the plugin `api` decides their names in HTTP responses. */
export interface StorageInfo {
  readonly type: string;
  /** Pattern every storage namespace must match; common subset of Java, Go and JavaScript. */
  readonly namespacePattern: string;
  readonly namespaceExample: string;
  readonly defaultNamespacePrefix: string;
  readonly preSign: boolean;
  readonly preSignUi: boolean;
  readonly preSignMultipart: boolean;
  /** Whether clients can begin and complete multipart uploads themselves. Default: false. */
  readonly clientMultipart?: boolean;
  readonly importSupported: boolean;
  readonly importPattern: string;
  /**
   * Number of segments after `://` that a walk's URI gives in full: the bucket, or every one in a store of folders, where it
   * is infinite. The segment after them may be the beginning of names. Default: 1.
   */
  readonly wholeSegments?: number;
  /** False for stores that lose data on exit: a warning is shown at start. */
  readonly productionSafe: boolean;
  /** False for stores whose objects only the process that wrote them can read. Default: true. */
  readonly isShared?: boolean;
  readonly region?: string;
}

/** One of the stores of an installation that has several. */
export interface NamedStore {
  /** `storage_id` of its repositories. Never changes. */
  readonly id: string;
  readonly description: string;
  /** It holds what bears no storage id. At most one does. */
  readonly isDefault: boolean;
  readonly store: BlockStore;
}

export interface PreSigned {
  readonly url: string;
  readonly expiry?: Date;
}

/** A request of a multipart upload that a client sends itself. */
export type UploadStep<Source = ObjectPointer> =
  | { readonly step: 'create' }
  /** The object must not exist. */
  | { readonly step: 'complete'; readonly uploadId: string }
  | { readonly step: 'abort'; readonly uploadId: string }
  | {
      readonly step: 'copyPart';
      readonly uploadId: string;
      readonly partNumber: number;
      readonly source: Source;
      readonly range?: ByteRange | undefined;
    };

/** A signed request: it must be sent with these headers. */
export interface SignedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface VendRequest {
  /** Whether objects may be written; none may be removed. */
  readonly mayWrite: boolean;
  /** Milliseconds from now. A store may give them for less, or where it has a shortest time for more. */
  readonly durationMs: number;
}

/** Credentials of the store itself for the objects below a prefix, and for nothing else. */
export type VendedCredentials = { readonly expiry: Date } & (
  | {
      readonly kind: 's3';
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken: string;
      readonly region: string;
      /** Absent: that of AWS. */
      readonly endpoint?: string | undefined;
      readonly forcePathStyle: boolean;
    }
  | {
      readonly kind: 'gs';
      /** OAuth 2. */
      readonly token: string;
    }
  | {
      readonly kind: 'azure';
      readonly account: string;
      /** Of its files: `<account>.dfs.core.windows.net`. */
      readonly host: string;
      /** Query of a URL, without a question mark. */
      readonly sas: string;
    }
);

declare module '@srv/kernel' {
  interface BlockStore {
    readonly info: StorageInfo;
    /** Only where it stands for several stores. Pointers, and the URIs of walks, say which they mean. */
    readonly stores?: readonly NamedStore[];
    /** Full URI of the object; API responses call it the physical address. `invalid` for a foreign scheme. */
    resolve(pointer: ObjectPointer): string;
    /**
     * Passes for an object this store may read; whether it exists is not asked. Only of stores that fence their objects in
     * by address. @throws SrvError `forbidden`, or `invalid` for a malformed address.
     */
    checkReadable?(pointer: ObjectPointer): Promise<void>;
    /**
     * Streams the body into the store, replacing what was there. Readers see the old object or the new one, never a part.
     * Durable when it resolves. On failure or abort, nothing remains.
     */
    put(pointer: ObjectPointer, body: Readable | Buffer, options?: PutOptions): Promise<{ lastModified: Date }>;
    /**
     * Puts the content of a file of this machine, with the guarantees of {@link put}; the file stays and must not change
     * meanwhile. Only of stores that copy a file faster than they take its bytes.
     * @param path absolute. @throws SrvError `invalid` when it is not of the announced size.
     */
    putFile?(pointer: ObjectPointer, path: string, options?: Pick<PutOptions, 'size'>): Promise<{ lastModified: Date }>;
    /**
     * `no_data` when missing. A range past the end is clamped; one that starts past the end yields no bytes. A store that knows
     * how many bytes come notes it with `withLength`: then an object of another size than its entry is reported as such,
     * instead of cutting off the answer in its middle.
     */
    get(pointer: ObjectPointer, options?: GetOptions): Promise<Readable>;
    exists(pointer: ObjectPointer): Promise<boolean>;
    properties(pointer: ObjectPointer): Promise<ObjectProperties>;
    /** Removes an object; an absent one is not an error. */
    remove(pointer: ObjectPointer): Promise<void>;
    /**
     * Removes many objects in as few requests as the backend takes; absent ones are not errors.
     * @returns the objects that could not be removed; all others are gone. @throws SrvError `cancelled` when aborted; what was
     * removed until then is unknown.
     */
    removeAll(
      pointers: readonly ObjectPointer[],
      options?: { readonly signal?: AbortSignal | undefined },
    ): Promise<readonly RemovalFailure[]>;
    /** Server-side where the backend can. `no_data` when the source is missing. */
    copy(source: ObjectPointer, destination: ObjectPointer, signal?: AbortSignal): Promise<void>;
    createMultipart(pointer: ObjectPointer, options?: { storageClass?: string }): Promise<{ uploadId: string }>;
    uploadPart(
      pointer: ObjectPointer,
      uploadId: string,
      partNumber: number,
      body: Readable | Buffer,
      options?: PutOptions,
    ): Promise<{ etag: string }>;
    /** Copies all of `source`, or `range` of it, as a part. */
    copyPart(
      source: ObjectPointer,
      destination: ObjectPointer,
      uploadId: string,
      partNumber: number,
      range?: ByteRange,
    ): Promise<{ etag: string; lastModified: Date }>;
    listParts(pointer: ObjectPointer, uploadId: string, options?: { maxParts?: number; partNumberMarker?: number }): Promise<PartList>;
    /**
     * Joins the parts in ascending number. `invalid` when a part is missing, its etag differs, or it is sent again meanwhile;
     * `not_found` for an unknown upload. Of calls that complete or abort an upload at once in one process, one succeeds and the
     * others are `not_found`; callers in several processes must agree beforehand which of them completes it.
     */
    completeMultipart(pointer: ObjectPointer, uploadId: string, parts: readonly UploadedPart[]): Promise<CompletedUpload>;
    abortMultipart(pointer: ObjectPointer, uploadId: string): Promise<void>;
    /** `unsupported` if the store cannot do this. */
    preSign(pointer: ObjectPointer, mode: 'read' | 'write', filename?: string): Promise<PreSigned>;
    preSignPart(pointer: ObjectPointer, uploadId: string, partNumber: number): Promise<PreSigned>;
    /** Only of stores whose clients can do all of a multipart upload. @throws SrvError `unsupported` where that is switched off. */
    preSignUpload?(pointer: ObjectPointer, step: UploadStep): Promise<SignedRequest>;
    /** Objects below a URI in byte order of their keys; resumes after `after` (a relative key). */
    walk(uri: string, options?: WalkOptions): AsyncIterable<readonly WalkedObject[]>;
    /** Open multipart uploads of objects below a URI; only of stores whose walks do not show their parts. */
    openUploads?(uri: string, options?: { readonly signal?: AbortSignal | undefined }): AsyncIterable<readonly OpenUpload[]>;
    /**
     * Vends credentials for the objects below a URI that ends in a slash; they cannot be taken back. Only of stores that can
     * limit credentials to a prefix, and are configured to.
     */
    vend?(uri: string, request: VendRequest): Promise<VendedCredentials>;
    /** Region of the namespace's bucket; only of stores that have regions. */
    region?(namespace: string): Promise<string>;
  }
}
