/** The block store contract on Google Cloud Storage. */
import {
  attachment,
  bucketKey,
  bucketPrefix,
  checkPartNumber,
  checkRange,
  formatLocation,
  locate,
  multipartEtag,
  pageOfParts,
  removeEach,
  KeyedLock,
} from '@srv/lib-stores/block';
import { SrvError, throwIfAborted } from '@srv/kernel';
import { objectPath } from './api.js';
import { isStatus, toSrvError } from './errors.js';
import { storageInfo } from './info.js';
import { listObjects } from './list.js';
import { readObject } from './read-object.js';
import { etagOf, isMd5, sizeOf, updatedOf } from './resource.js';
import { rewriteObject } from './rewrite.js';
import { StorageClasses } from './storage-classes.js';
import { Uploads } from './uploads.js';
import { writeObject } from './write-object.js';
import type { Readable } from 'node:stream';
import type {
  BlockStore,
  BucketKey,
  ByteRange,
  CompletedUpload,
  GetOptions,
  ObjectPointer,
  ObjectProperties,
  PartList,
  PartPage,
  PreSigned,
  PutOptions,
  RemovalFailure,
  StorageInfo,
  UploadedPart,
  WalkedObject,
} from '@srv/lib-stores/block';
import type { Api } from './api.js';
import type { Encryption } from './encryption.js';
import type { ObjectResource } from './resource.js';
import type { SignOptions, UrlSigner } from './sign.js';
import type { GsStoreOptions } from './options.js';

export const scheme = 'gs';
const removalsAtOnce = 32;

export class GsBlockStore implements BlockStore {
  readonly type = 'gs';
  readonly info: StorageInfo;
  readonly #signer: UrlSigner;
  readonly #api: Api;
  readonly #encryption: Encryption;
  readonly #options: GsStoreOptions;
  readonly #uploads: Uploads;
  readonly #classes: StorageClasses;
  readonly #endings = new KeyedLock();
  #closed = false;

  constructor(signer: UrlSigner, api: Api, encryption: Encryption, options: GsStoreOptions) {
    this.#signer = signer;
    this.#api = api;
    this.#encryption = encryption;
    this.#options = options;
    this.#uploads = new Uploads(api, encryption);
    this.#classes = new StorageClasses(options.log);
    this.info = storageInfo(options, encryption);
  }

  resolve(pointer: ObjectPointer): string {
    return formatLocation(locate(pointer, [scheme]));
  }

  async put(pointer: ObjectPointer, body: Readable | Buffer, options: PutOptions = {}): Promise<{ lastModified: Date }> {
    const object = this.#locate(pointer);
    const storageClass = this.#classes.of(options.storageClass);
    return this.#calling(
      pointer,
      async () => {
        const resource = await writeObject(this.#api, object, body, { ...options, storageClass, encryption: this.#encryption });
        return { lastModified: updatedOf(resource) };
      },
      options.signal,
    );
  }

  async get(pointer: ObjectPointer, { range, signal }: GetOptions = {}): Promise<Readable> {
    const object = this.#locate(pointer);
    if (range) checkRange(range);
    throwIfAborted(signal);
    return readObject(this.#api, object, { address: this.resolve(pointer), encryption: this.#encryption, range, signal });
  }

  async exists(pointer: ObjectPointer): Promise<boolean> {
    try {
      await this.properties(pointer);
      return true;
    } catch (error) {
      if (error instanceof SrvError && error.code === 'no_data') return false;
      throw error;
    }
  }

  async properties(pointer: ObjectPointer): Promise<ObjectProperties> {
    const found = await this.#find(pointer);
    return {
      size: sizeOf(found),
      lastModified: updatedOf(found),
      etag: etagOf(found),
      ...(found.storageClass === undefined ? {} : { storageClass: found.storageClass }),
    };
  }

  async remove(pointer: ObjectPointer): Promise<void> {
    const object = this.#locate(pointer);
    await this.#calling(pointer, async () => {
      try {
        await this.#api.json({ method: 'DELETE', path: objectPath(object) });
      } catch (error) {
        if (!isStatus(error, 404)) throw error;
      }
    });
  }

  /** The JSON API has no request that removes many objects; its batch calls count as one request per object all the same. */
  removeAll(pointers: readonly ObjectPointer[], { signal }: { readonly signal?: AbortSignal } = {}): Promise<RemovalFailure[]> {
    return removeEach(pointers, pointer => this.remove(pointer), { limit: removalsAtOnce, signal });
  }

  async copy(source: ObjectPointer, destination: ObjectPointer, signal?: AbortSignal): Promise<void> {
    const [from, to] = [this.#locate(source), this.#locate(destination)];
    await this.#calling(source, () => rewriteObject(this.#api, from, to, { encryption: this.#encryption, signal }), signal);
  }

  async createMultipart(pointer: ObjectPointer, { storageClass }: { storageClass?: string } = {}): Promise<{ uploadId: string }> {
    const object = this.#locate(pointer);
    return { uploadId: await this.#calling(pointer, () => this.#uploads.create(object, this.#classes.of(storageClass))) };
  }

  async uploadPart(
    pointer: ObjectPointer,
    uploadId: string,
    partNumber: number,
    body: Readable | Buffer,
    { size, signal }: PutOptions = {},
  ): Promise<{ etag: string }> {
    const { object, part } = this.#part(pointer, uploadId, partNumber);
    return this.#calling(
      pointer,
      async () => {
        await this.#uploads.check(object, uploadId, this.resolve(pointer));
        const options = { ...(size === undefined ? {} : { size }), ...(signal ? { signal } : {}), encryption: this.#encryption };
        const written = await writeObject(this.#api, part, body, options);
        await this.#uploads.keep(object, uploadId, part, this.resolve(pointer));
        return { etag: etagOf(written) };
      },
      signal,
    );
  }

  async copyPart(
    source: ObjectPointer,
    destination: ObjectPointer,
    uploadId: string,
    partNumber: number,
    range?: ByteRange,
  ): Promise<{ etag: string; lastModified: Date }> {
    const from = this.#locate(source);
    const { object, part } = this.#part(destination, uploadId, partNumber);
    await this.#calling(destination, () => this.#uploads.check(object, uploadId, this.resolve(destination)));
    const made = await (range
      ? this.#copyRange(source, destination, part, range)
      : this.#calling(source, () => rewriteObject(this.#api, from, part, { encryption: this.#encryption })));
    await this.#calling(destination, () => this.#uploads.keep(object, uploadId, part, this.resolve(destination)));
    return { etag: etagOf(made), lastModified: updatedOf(made) };
  }

  async listParts(pointer: ObjectPointer, uploadId: string, page: PartPage = {}): Promise<PartList> {
    const object = this.#locate(pointer);
    const { parts } = await this.#calling(pointer, () => this.#uploads.find(object, uploadId, this.resolve(pointer)));
    return pageOfParts(
      parts.map(({ partNumber, etag, size, lastModified }) => ({ partNumber, etag, size, lastModified })),
      page,
    );
  }

  async completeMultipart(pointer: ObjectPointer, uploadId: string, listed: readonly UploadedPart[]): Promise<CompletedUpload> {
    const object = this.#locate(pointer);
    const uri = this.resolve(pointer);
    return this.#ending(pointer, uploadId, async () => {
      const upload = await this.#uploads.find(object, uploadId, uri);
      const parts = this.#uploads.match(upload, uri, listed);
      const made = await this.#uploads.join(object, upload, parts);
      // The object is there: what is left of the upload is a matter of tidiness.
      await this.#uploads.remove(object, uploadId).catch((error: unknown) => {
        const { code, message } = toSrvError(error, uri, this.#api.endpoint);
        this.#options.log.warn({ address: uri, upload_id: uploadId, code, error: message }, 'parts of a completed upload remain');
      });
      const etags = parts.map(part => part.etag);
      return { etag: etags.every(isMd5) ? multipartEtag(etags) : etagOf(made), size: sizeOf(made), lastModified: updatedOf(made) };
    });
  }

  async abortMultipart(pointer: ObjectPointer, uploadId: string): Promise<void> {
    const object = this.#locate(pointer);
    await this.#ending(pointer, uploadId, async () => {
      await this.#uploads.check(object, uploadId, this.resolve(pointer));
      await this.#uploads.remove(object, uploadId);
    });
  }

  async preSign(pointer: ObjectPointer, mode: 'read' | 'write', filename?: string): Promise<PreSigned> {
    const object = this.#locate(pointer);
    this.#checkPreSign(object);
    // The key would have to be sent along, and must not be disclosed.
    if (this.#encryption.hasCustomerKey && (await this.#isUnderCustomerKey(pointer)))
      throw new SrvError(
        'unsupported',
        `${this.resolve(pointer)}: operation not supported: the object is encrypted with a customer-supplied key`,
      );
    const disposition = mode === 'read' && filename !== undefined ? { disposition: attachment(filename) } : {};
    return this.#sign(pointer, object, { mode, ...disposition });
  }

  async preSignPart(pointer: ObjectPointer, uploadId: string, partNumber: number): Promise<PreSigned> {
    const { part } = this.#part(pointer, uploadId, partNumber);
    this.#checkPreSign(part);
    if (!this.info.preSignMultipart)
      throw new SrvError('unsupported', 'operation not supported: encrypted parts cannot be uploaded by URL');
    return this.#sign(pointer, part, { mode: 'write' });
  }

  async *walk(uri: string, { after = '', signal }: { after?: string; signal?: AbortSignal } = {}): AsyncGenerator<readonly WalkedObject[]> {
    this.#checkOpen();
    const prefix = bucketPrefix(uri, scheme);
    throwIfAborted(signal);
    const folder = prefix.key.slice(0, prefix.key.lastIndexOf('/') + 1);
    try {
      for await (const page of listObjects(this.#api, prefix, { ...(after === '' ? {} : { from: folder + after }), signal })) {
        const objects = page.filter(({ name }) => after === '' || name !== folder + after);
        if (objects.length === 0) continue;
        yield objects.map(found => ({
          relativeKey: found.name.slice(folder.length),
          address: formatLocation({ scheme, namespace: prefix.bucket, key: found.name }),
          size: sizeOf(found),
          etag: etagOf(found),
          lastModified: updatedOf(found),
        }));
      }
    } catch (error) {
      throw toSrvError(error, uri, this.#api.endpoint, signal);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#api.close();
  }

  #checkOpen(): void {
    if (this.#closed) throw new SrvError('closed', 'the block store has been closed');
  }

  #locate(pointer: ObjectPointer): BucketKey {
    this.#checkOpen();
    const object = bucketKey(pointer, scheme);
    // In the path of a request these would name the bucket.
    if (object.key === '.' || object.key === '..') throw new SrvError('invalid', `${object.key}: the service does not accept the name`);
    return object;
  }

  #part(pointer: ObjectPointer, uploadId: string, partNumber: number): { object: BucketKey; part: BucketKey } {
    checkPartNumber(partNumber);
    const object = this.#locate(pointer);
    return { object, part: this.#uploads.part(object, uploadId, partNumber, this.resolve(pointer)) };
  }

  /** One caller at a time ends an upload; the next finds that it has ended. */
  async #ending<T>(pointer: ObjectPointer, uploadId: string, call: () => Promise<T>): Promise<T> {
    return this.#endings.run(uploadId, () => this.#calling(pointer, call));
  }

  async #calling<T>(pointer: ObjectPointer, call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw toSrvError(error, this.resolve(pointer), this.#api.endpoint, signal);
    }
  }

  /** Without a customer's key: the answer then equals what listings report. */
  async #find(pointer: ObjectPointer): Promise<ObjectResource> {
    const path = objectPath(this.#locate(pointer));
    return this.#calling(pointer, () => this.#api.json<ObjectResource>({ path }));
  }

  async #isUnderCustomerKey(pointer: ObjectPointer): Promise<boolean> {
    try {
      return (await this.#find(pointer)).customerEncryption !== undefined;
    } catch (error) {
      if (error instanceof SrvError && error.code === 'no_data') return false;
      throw error;
    }
  }

  async #copyRange(source: ObjectPointer, destination: ObjectPointer, part: BucketKey, range: ByteRange): Promise<ObjectResource> {
    const body = await this.get(source, { range });
    return this.#calling(destination, () => writeObject(this.#api, part, body, { encryption: this.#encryption }));
  }

  #checkPreSign({ key }: BucketKey): void {
    if (this.#options.disablePreSigned)
      throw new SrvError('unsupported', 'operation not supported: blockstore.gs.disable_pre_signed is set');
    if (key.split('/').some(segment => segment === '.' || segment === '..'))
      throw new SrvError('unsupported', `${key}: operation not supported: clients fold . and .. in URLs`);
  }

  async #sign(pointer: ObjectPointer, object: BucketKey, options: Omit<SignOptions, 'expiresIn'>): Promise<PreSigned> {
    return this.#calling(pointer, () => this.#signer.sign(object, { ...options, expiresIn: this.#options.preSignedExpiry }));
  }
}
