/** The block store contract on Azure Blob Storage. */
import { KeyedLock, asError, attachment, checkPartNumber, checkRange, multipartEtag, pageOfParts } from '@srv/lib-stores/block';
import { SrvError, throwIfAborted } from '@srv/kernel';
import { blobUri, findBlob, parseUri } from './blob-address.js';
import { toSrvError } from './errors.js';
import { etagOf, isMd5 } from './etag.js';
import { storageInfo } from './info.js';
import { readBlob } from './read-blob.js';
import { removeBlobs } from './remove-blobs.js';
import { Signer } from './sign.js';
import { Tiers } from './tiers.js';
import { Transfers } from './transfer.js';
import { Uploads } from './uploads.js';
import { listFlat, listHierarchy, walked } from './walk.js';
import { writeBlob } from './write-blob.js';

import type { Readable } from 'node:stream';
import type { BlockBlobClient } from '@azure/storage-blob';
import type {
  BlockStore,
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
import type { Accounts } from './accounts.js';
import type { BlobAddress } from './blob-address.js';
import type { AzureStoreOptions } from './options.js';
import type { Removal } from './remove-blobs.js';

interface Target {
  readonly address: BlobAddress;
  /** For messages. */
  readonly uri: string;
  readonly client: BlockBlobClient;
}

export class AzureBlockStore implements BlockStore {
  readonly type = 'azure';
  readonly info: StorageInfo;
  readonly #accounts: Accounts;
  readonly #options: AzureStoreOptions;
  readonly #signer: Signer;
  readonly #transfers: Transfers;
  readonly #uploads: Uploads;
  readonly #tiers: Tiers;
  readonly #endings = new KeyedLock();
  #closed = false;

  constructor(accounts: Accounts, options: AzureStoreOptions) {
    this.#accounts = accounts;
    this.#options = options;
    this.#signer = new Signer(accounts);
    this.#transfers = new Transfers(accounts, this.#signer);
    this.#uploads = new Uploads(accounts);
    this.#tiers = new Tiers(options.log);
    this.info = storageInfo(options, accounts.domain);
  }

  resolve(pointer: ObjectPointer): string {
    return blobUri(pointer, this.#accounts.domain);
  }

  async put(pointer: ObjectPointer, body: Readable | Buffer, options: PutOptions = {}): Promise<{ lastModified: Date }> {
    const target = this.#target(pointer);
    const tier = this.#tiers.of(options.storageClass);
    const { lastModified } = await this.#calling(target, () => writeBlob(target.client, body, { ...options, tier }), options.signal);
    return { lastModified };
  }

  async get(pointer: ObjectPointer, { range, signal }: GetOptions = {}): Promise<Readable> {
    const { address, uri, client } = this.#target(pointer);
    if (range) checkRange(range);
    throwIfAborted(signal);
    const endpoint = this.#accounts.endpoint(address.account);
    return readBlob(client, { address: uri, endpoint, tryTimeout: this.#accounts.tryTimeout, range, signal });
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
    const target = this.#target(pointer);
    const found = await this.#calling(target, () => target.client.getProperties());
    return {
      size: found.contentLength ?? 0,
      lastModified: found.lastModified ?? new Date(0),
      etag: etagOf(found),
      ...(found.accessTier === undefined ? {} : { storageClass: found.accessTier }),
    };
  }

  async remove(pointer: ObjectPointer): Promise<void> {
    const target = this.#target(pointer);
    await this.#calling(target, () => target.client.deleteIfExists());
  }

  async removeAll(pointers: readonly ObjectPointer[], { signal }: { readonly signal?: AbortSignal } = {}): Promise<RemovalFailure[]> {
    this.#checkOpen();
    throwIfAborted(signal);
    const failures: RemovalFailure[] = [];
    const removals: Removal[] = [];
    for (const pointer of pointers) {
      try {
        removals.push({ pointer, address: this.#target(pointer).address });
      } catch (error) {
        failures.push({ pointer, error: asError(error) });
      }
    }
    const failure = (error: unknown, { pointer, address }: Removal): Error =>
      toSrvError(error, this.resolve(pointer), this.#accounts.endpoint(address.account), signal);
    const one = (pointer: ObjectPointer): Promise<void> => this.remove(pointer);
    return [...failures, ...(await removeBlobs(this.#accounts, removals, { one, failure, signal }))];
  }

  async copy(source: ObjectPointer, destination: ObjectPointer, signal?: AbortSignal): Promise<void> {
    const [from, to] = [this.#target(source), this.#target(destination)];
    throwIfAborted(signal);
    const found = await this.#calling(from, () => from.client.getProperties(signal ? { abortSignal: signal } : {}), signal);
    const whole = { source: from.address, offset: 0, length: found.contentLength ?? 0 };
    await this.#calling(to, () => this.#transfers.copy(whole, to.client, { md5: found.contentMD5, signal }), signal);
  }

  async createMultipart(pointer: ObjectPointer, { storageClass }: { storageClass?: string } = {}): Promise<{ uploadId: string }> {
    const target = this.#target(pointer);
    const tier = this.#tiers.of(storageClass);
    return { uploadId: await this.#calling(target, () => this.#uploads.create(target.address, tier)) };
  }

  async uploadPart(
    pointer: ObjectPointer,
    uploadId: string,
    partNumber: number,
    body: Readable | Buffer,
    options: PutOptions = {},
  ): Promise<{ etag: string }> {
    const target = this.#target(pointer);
    const part = this.#part(target, uploadId, partNumber);
    return this.#calling(
      target,
      async () => {
        await this.#uploads.check(target.address, uploadId, target.uri);
        const { md5 } = await writeBlob(part, body, options);
        await this.#keepPart(target, uploadId, part);
        return { etag: md5 };
      },
      options.signal,
    );
  }

  async copyPart(
    source: ObjectPointer,
    destination: ObjectPointer,
    uploadId: string,
    partNumber: number,
    range?: ByteRange,
  ): Promise<{ etag: string; lastModified: Date }> {
    if (range) checkRange(range);
    const [from, to] = [this.#target(source), this.#target(destination)];
    const part = this.#part(to, uploadId, partNumber);
    await this.#calling(to, () => this.#uploads.check(to.address, uploadId, to.uri));
    const { size, etag } = await this.properties(source);
    const offset = Math.min(range?.start ?? 0, size);
    const length = Math.min(range ? range.end + 1 : size, size) - offset;
    const md5 = length === size && isMd5(etag) ? Buffer.from(etag, 'hex') : undefined;
    return this.#calling(to, async () => {
      const copied = await this.#transfers.join([{ source: from.address, offset, length }], part, { md5 });
      await this.#keepPart(to, uploadId, part);
      return copied;
    });
  }

  async listParts(pointer: ObjectPointer, uploadId: string, page: PartPage = {}): Promise<PartList> {
    const target = this.#target(pointer);
    const { parts } = await this.#calling(target, () => this.#uploads.find(target.address, uploadId, target.uri));
    return pageOfParts(
      parts.map(({ blob: _, ...part }) => part),
      page,
    );
  }

  async completeMultipart(pointer: ObjectPointer, uploadId: string, listed: readonly UploadedPart[]): Promise<CompletedUpload> {
    const target = this.#target(pointer);
    return this.#ending(target, uploadId, async () => {
      const upload = await this.#uploads.find(target.address, uploadId, target.uri);
      const parts = this.#uploads.match(upload, target.uri, listed);
      const pieces = parts.map(({ blob, size }) => ({ source: blob, offset: 0, length: size }));
      const { etag, lastModified } = await this.#transfers.join(pieces, target.client, {
        tier: upload.tier,
        // A part may have been sent again while it was read.
        beforeCommit: async () =>
          void this.#uploads.match(await this.#uploads.find(target.address, uploadId, target.uri), target.uri, parts),
      });
      // The object is there: what is left of the upload is a matter of tidiness.
      await this.#uploads.remove(target.address, uploadId, upload).catch((error: unknown) => {
        const { code, message } = toSrvError(error, target.uri, this.#accounts.endpoint(target.address.account));
        this.#options.log.warn({ address: target.uri, upload_id: uploadId, code, error: message }, 'parts of a completed upload remain');
      });
      const etags = parts.map(part => part.etag);
      const size = parts.reduce((sum, part) => sum + part.size, 0);
      // A part that the service copied may have no MD5.
      return { etag: etags.every(isMd5) ? multipartEtag(etags) : etag, size, lastModified };
    });
  }

  async abortMultipart(pointer: ObjectPointer, uploadId: string): Promise<void> {
    const target = this.#target(pointer);
    await this.#ending(target, uploadId, async () => {
      const upload = await this.#uploads.find(target.address, uploadId, target.uri);
      await this.#uploads.remove(target.address, uploadId, upload);
    });
  }

  async preSign(pointer: ObjectPointer, mode: 'read' | 'write', filename?: string): Promise<PreSigned> {
    const target = this.#target(pointer);
    const { disablePreSigned, preSignedExpiry } = this.#options;
    if (disablePreSigned) throw new SrvError('unsupported', 'operation not supported: blockstore.azure.disable_pre_signed is set');
    const disposition = mode === 'read' && filename !== undefined ? { disposition: attachment(filename) } : {};
    return this.#calling(target, () => this.#signer.sign(target.address, { mode, expiresIn: preSignedExpiry, ...disposition }));
  }

  /** A block carries no etag in its answer, which clients that upload parts by URL read: they use one URL for the whole object. */
  preSignPart(): Promise<PreSigned> {
    return Promise.reject(
      new SrvError('unsupported', 'operation not supported: Azure has no pre-signed parts; use a URL for the whole object'),
    );
  }

  /** The service cannot begin a listing at a name: to resume, what comes before `after` is listed and left out. */
  async *walk(uri: string, { after = '', signal }: { after?: string; signal?: AbortSignal } = {}): AsyncGenerator<readonly WalkedObject[]> {
    this.#checkOpen();
    const prefix = parseUri(uri, this.#accounts.domain);
    throwIfAborted(signal);
    try {
      const list = (await orAborted(this.#accounts.isHierarchical(prefix.account), signal)) ? listHierarchy : listFlat;
      const pages = list(this.#accounts.container(prefix), { prefix: prefix.blob, pageSize: this.#accounts.pageSize, signal });
      yield* walked(pages, prefix, { domain: this.#accounts.domain, after, signal });
    } catch (error) {
      throw toSrvError(error, uri, this.#accounts.endpoint(prefix.account), signal);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #checkOpen(): void {
    if (this.#closed) throw new SrvError('closed', 'the block store has been closed');
  }

  #target(pointer: ObjectPointer): Target {
    this.#checkOpen();
    const address = findBlob(pointer, this.#accounts.domain);
    return { address, uri: this.resolve(pointer), client: this.#accounts.blob(address) };
  }

  #part({ address }: Target, uploadId: string, partNumber: number): BlockBlobClient {
    checkPartNumber(partNumber);
    return this.#accounts.blob(this.#uploads.part(address, uploadId, partNumber));
  }

  /** @throws SrvError `not_found` when the upload ended while the part was written; the part is then removed here. */
  async #keepPart({ address, uri }: Target, uploadId: string, part: BlockBlobClient): Promise<void> {
    try {
      await this.#uploads.check(address, uploadId, uri);
    } catch (error) {
      if (error instanceof SrvError && error.code === 'not_found') await part.deleteIfExists();
      throw error;
    }
  }

  /** One caller at a time ends an upload; the next finds that it has ended. */
  async #ending<T>(target: Target, uploadId: string, call: () => Promise<T>): Promise<T> {
    return this.#endings.run(uploadId, () => this.#calling(target, call));
  }

  async #calling<T>({ uri, address }: Target, call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw toSrvError(error, uri, this.#accounts.endpoint(address.account), signal);
    }
  }
}

/** Waits for an answer that others wait for, too, as long as the caller is there. */
async function orAborted<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return answer;
  let leave = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(new SrvError('cancelled', 'the request was cancelled', { cause: signal.reason }));
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
