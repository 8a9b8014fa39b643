/** The block store contract over S3. */
import { abortable } from './abortable.js';
import { buffer } from 'node:stream/consumers';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import {
  asError,
  bareEtag,
  bucketKey,
  bucketPrefix,
  checkPartNumber,
  checkRange,
  formatLocation,
  locate,
  orderParts,
  KeyedLock,
} from '@srv/lib-stores/block';
import { SrvError, isSrvError, throwIfAborted } from '@srv/kernel';
import { answerDate } from './clients.js';
import { copyLimits, copyObject } from './copy.js';
import { openDownload } from './download.js';
import { translate } from './errors.js';
import { sendKnownLength } from './known-length.js';
import { Multipart, present } from './multipart.js';
import { evenPartBytes, grownPartBytes } from './part-buffers.js';
import { headObject } from './object-location.js';
import { removeObjects } from './remove-objects.js';
import { UrlSigner, partRequest, readRequest, writeRequest } from './sign.js';
import { sendUnknownLength } from './unknown-length.js';
import { listUploads, walkObjects } from './walk.js';
import type { Readable } from 'node:stream';
import type { StorageClass } from '@aws-sdk/client-s3';
import type {
  BlockStore,
  ByteRange,
  CompletedUpload,
  GetOptions,
  ObjectPointer,
  ObjectProperties,
  OpenUpload,
  PartList,
  PartPage,
  PreSigned,
  PutOptions,
  RemovalFailure,
  StorageInfo,
  UploadedPart,
  WalkedObject,
} from '@srv/lib-stores/block';
import type { Logger } from '@srv/kernel';
import type { Clients } from './clients.js';
import type { CopyLimits } from './copy.js';
import type { ObjectFacts } from './object-location.js';
import type { Encryption, ObjectLocation } from './object-location.js';
import type { BucketRegions } from './regions.js';
import type { Removal } from './remove-objects.js';
import type { UrlRequest } from './sign.js';

export const scheme = 's3';

interface StoreOptions {
  readonly clients: Clients;
  readonly regions: BucketRegions;
  readonly info: StorageInfo;
  readonly encryption: Encryption;
  /** Validity of pre-signed URLs in milliseconds. */
  readonly preSignedExpiryMs: number;
  readonly log: Logger;
  /** Default: those of S3. */
  readonly limits?: Partial<StoreLimits>;
}

export interface StoreLimits extends CopyLimits {
  /** Bytes that a single request may write; longer bodies go in parts. */
  readonly putBytes: number;
  /** Objects in an answer of a walk. */
  readonly pageSize: number;
  /** Objects that a single request may remove. */
  readonly removals: number;
}

/** Those of S3. */
const limits: StoreLimits = { ...copyLimits, putBytes: 5 * 2 ** 30, pageSize: 1000, removals: 1000 };
/** S3 copies ranges only of larger objects than this, in bytes. */
const smallestRangeSource = 5 << 20;

interface Call {
  /** What a bare "404 Not Found" means. Default: the object has no data. */
  readonly absent?: 'upload';
  readonly signal?: AbortSignal | undefined;
}

export class S3BlockStore implements BlockStore {
  readonly type = scheme;
  readonly info: StorageInfo;
  readonly #options: StoreOptions;
  readonly #limits: StoreLimits;
  readonly #multipart: Multipart;
  /** One caller at a time ends an upload; the next finds that it has ended. S3 answers both with success. */
  readonly #endings = new KeyedLock();
  readonly #signer = new UrlSigner();
  #closed = false;

  constructor(options: StoreOptions) {
    this.info = options.info;
    this.#options = options;
    this.#limits = { ...limits, ...options.limits };
    this.#multipart = new Multipart(options.encryption, options.log);
  }

  resolve(pointer: ObjectPointer): string {
    return formatLocation(locate(pointer, [scheme]));
  }

  async put(pointer: ObjectPointer, body: Readable | Buffer, options: PutOptions = {}): Promise<{ lastModified: Date }> {
    const { storageClass, signal } = options;
    const size = options.size ?? (Buffer.isBuffer(body) ? body.length : undefined);
    const facts = { StorageClass: storageClass as StorageClass | undefined };
    return this.#run(pointer, { signal }, async place => {
      const whole = async (content: Readable | Buffer, length: number, abort: AbortSignal | undefined): Promise<{ lastModified: Date }> => {
        const answer = await place.client.send(
          new PutObjectCommand({
            Bucket: place.bucket,
            Key: place.key,
            Body: content,
            ContentLength: length,
            ...facts,
            ...this.#options.encryption,
          }),
          abortable(abort),
        );
        present(answer.ETag, 'ETag');
        return { lastModified: answerDate(answer) };
      };
      if (Buffer.isBuffer(body) || (size !== undefined && size <= this.#limits.putBytes))
        return sendKnownLength(body, { size: size ?? 0, signal }, (content, abort) => whole(content, size ?? 0, abort));
      const partBytes = size === undefined ? grownPartBytes : () => evenPartBytes(size);
      const { lastModified } = await sendUnknownLength<{ lastModified: Date }>(
        body,
        { size, signal, partBytes },
        { ...this.#multipart.upload(place, facts), whole: (bytes, abort) => whole(bytes, bytes.length, abort) },
      );
      return { lastModified };
    });
  }

  async get(pointer: ObjectPointer, options: GetOptions = {}): Promise<Readable> {
    if (options.range) checkRange(options.range);
    const call = { signal: options.signal };
    return this.#run(pointer, call, place => openDownload(place, options, error => this.#failure(error, place.address, call)));
  }

  async exists(pointer: ObjectPointer): Promise<boolean> {
    try {
      await this.properties(pointer);
      return true;
    } catch (error) {
      if (isSrvError(error, 'no_data')) return false;
      throw error;
    }
  }

  async properties(pointer: ObjectPointer): Promise<ObjectProperties> {
    return this.#run(pointer, {}, async place => {
      const { ContentLength = 0, LastModified = new Date(0), ETag = '', StorageClass: storageClass } = await headObject(place);
      const facts = { size: ContentLength, lastModified: LastModified, etag: bareEtag(ETag) };
      return storageClass === undefined ? facts : { ...facts, storageClass };
    });
  }

  async remove(pointer: ObjectPointer): Promise<void> {
    try {
      await this.#run(pointer, {}, ({ client, bucket, key }) => client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key })));
    } catch (error) {
      if (!isSrvError(error, 'no_data')) throw error;
    }
  }

  async removeAll(pointers: readonly ObjectPointer[], { signal }: { readonly signal?: AbortSignal } = {}): Promise<RemovalFailure[]> {
    throwIfAborted(signal);
    const failures: RemovalFailure[] = [];
    const places: Removal[] = [];
    for (const pointer of pointers) {
      try {
        places.push({ pointer, place: await this.#place(pointer) });
      } catch (error) {
        if (this.#closed) throw error;
        failures.push({ pointer, error: asError(error) });
      }
    }
    const one = (pointer: ObjectPointer): Promise<void> => this.remove(pointer);
    const failure = (error: unknown, place: ObjectLocation): Error => this.#failure(error, place.address, { signal });
    return [...failures, ...(await removeObjects(places, { limit: this.#limits.removals, one, failure, signal }))];
  }

  async copy(source: ObjectPointer, destination: ObjectPointer, signal?: AbortSignal): Promise<void> {
    await this.#run(source, { signal }, async from => {
      const facts = await headObject(from, signal);
      const to = await this.#place(destination);
      const { encryption } = this.#options;
      const upload = (kept: ObjectFacts) => this.#multipart.upload(to, kept);
      await copyObject({ source: from, head: facts, destination: to, encryption, limits: this.#limits, signal, upload });
    });
  }

  async createMultipart(pointer: ObjectPointer, { storageClass }: { storageClass?: string } = {}): Promise<{ uploadId: string }> {
    const facts = { StorageClass: storageClass as StorageClass | undefined };
    return this.#run(pointer, {}, async place => ({ uploadId: await this.#multipart.create(place, facts) }));
  }

  async uploadPart(
    pointer: ObjectPointer,
    uploadId: string,
    partNumber: number,
    body: Readable | Buffer,
    options: PutOptions = {},
  ): Promise<{ etag: string }> {
    checkPartNumber(partNumber);
    return this.#run(pointer, { absent: 'upload', signal: options.signal }, async place => ({
      etag: await this.#multipart.part(place, uploadId, partNumber, body, options),
    }));
  }

  async copyPart(
    source: ObjectPointer,
    destination: ObjectPointer,
    uploadId: string,
    partNumber: number,
    range?: ByteRange,
  ): Promise<{ etag: string; lastModified: Date }> {
    checkPartNumber(partNumber);
    if (range) checkRange(range);
    return this.#run(destination, { absent: 'upload' }, async to => {
      const from = await this.#place(source);
      const whole = () => this.#multipart.copyPart(from, to, uploadId, partNumber);
      if (!range) return whole();
      const { ContentLength: size = 0 } = await this.#run(source, {}, place => headObject(place));
      const end = Math.min(range.end, size - 1);
      if (range.start > end) throw new SrvError('invalid', `${from.address}: bytes ${range.start}-${range.end} begin after its end`);
      if (range.start === 0 && end === size - 1) return whole();
      if (size > smallestRangeSource) return this.#multipart.copyPart(from, to, uploadId, partNumber, `bytes=${range.start}-${end}`);
      const bytes = await buffer(await this.get(source, { range }));
      return { etag: await this.#multipart.part(to, uploadId, partNumber, bytes, {}), lastModified: new Date() };
    });
  }

  async listParts(pointer: ObjectPointer, uploadId: string, page: PartPage = {}): Promise<PartList> {
    return this.#run(pointer, { absent: 'upload' }, place => this.#multipart.list(place, uploadId, page));
  }

  async completeMultipart(pointer: ObjectPointer, uploadId: string, parts: readonly UploadedPart[]): Promise<CompletedUpload> {
    const ordered = orderParts(this.resolve(pointer), parts);
    const work = async (place: ObjectLocation): Promise<CompletedUpload> => {
      await this.#multipart.check(place, uploadId);
      return this.#multipart.complete(place, uploadId, ordered);
    };
    return this.#endings.run(uploadId, () => this.#run(pointer, { absent: 'upload' }, work));
  }

  async abortMultipart(pointer: ObjectPointer, uploadId: string): Promise<void> {
    const work = async (place: ObjectLocation): Promise<void> => {
      await this.#multipart.check(place, uploadId);
      await this.#multipart.abort(place, uploadId);
    };
    await this.#endings.run(uploadId, () => this.#run(pointer, { absent: 'upload' }, work));
  }

  async preSign(pointer: ObjectPointer, mode: 'read' | 'write', filename?: string): Promise<PreSigned> {
    if (!this.info.preSign) throw switchedOff('blockstore.s3.disable_pre_signed');
    return this.#sign(pointer, place => (mode === 'read' ? readRequest(place, filename) : writeRequest(place)));
  }

  async preSignPart(pointer: ObjectPointer, uploadId: string, partNumber: number): Promise<PreSigned> {
    checkPartNumber(partNumber);
    if (!this.info.preSignMultipart)
      throw switchedOff(this.info.preSign ? 'blockstore.s3.disable_pre_signed_multipart' : 'blockstore.s3.disable_pre_signed');
    return this.#sign(pointer, place => partRequest(place, uploadId, partNumber));
  }

  async #sign(pointer: ObjectPointer, request: (place: ObjectLocation) => UrlRequest): Promise<PreSigned> {
    const { clients, regions, preSignedExpiryMs } = this.#options;
    return this.#run(pointer, {}, async place => {
      const client = clients.preSigning(await regions.of(place.bucket));
      return this.#signer.preSign(client, request(place), preSignedExpiryMs);
    });
  }

  async *walk(uri: string, { after, signal }: { after?: string; signal?: AbortSignal } = {}): AsyncGenerator<readonly WalkedObject[]> {
    this.#check();
    throwIfAborted(signal);
    const call = { signal };
    try {
      const place = await this.#at(bucketPrefix(uri, scheme), uri);
      yield* walkObjects(place, { after, signal, pageSize: this.#limits.pageSize });
    } catch (error) {
      throw this.#failure(error, uri, call);
    }
  }

  async *openUploads(uri: string, { signal }: { readonly signal?: AbortSignal } = {}): AsyncGenerator<readonly OpenUpload[]> {
    this.#check();
    throwIfAborted(signal);
    try {
      yield* listUploads(await this.#at(bucketPrefix(uri, scheme), uri), { signal, pageSize: this.#limits.pageSize });
    } catch (error) {
      throw this.#failure(error, uri, { signal });
    }
  }

  /** Region of the namespace's bucket. */
  async region(namespace: string): Promise<string> {
    this.#check();
    return this.#options.regions.of(bucketPrefix(namespace, scheme).bucket);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#options.clients.close();
  }

  async #run<T>(pointer: ObjectPointer, call: Call, work: (place: ObjectLocation) => Promise<T>): Promise<T> {
    throwIfAborted(call.signal);
    const place = await this.#place(pointer);
    try {
      return await work(place);
    } catch (error) {
      throw this.#failure(error, place.address, call);
    }
  }

  #place(pointer: ObjectPointer): Promise<ObjectLocation> {
    this.#check();
    return this.#at(bucketKey(pointer, scheme), this.resolve(pointer));
  }

  async #at({ bucket, key }: { bucket: string; key: string }, address: string): Promise<ObjectLocation> {
    const { clients, regions } = this.#options;
    return { client: clients.in(await regions.of(bucket)), bucket, key, address };
  }

  #failure(error: unknown, address: string, call: Call): Error {
    const failure = translate(error, { address, endpoint: this.#options.clients.endpoint, ...call });
    return failure instanceof Error ? failure : new Error(String(failure));
  }

  #check(): void {
    if (this.#closed) throw new SrvError('closed', 'the block store is closed');
  }
}

function switchedOff(key: string): SrvError {
  return new SrvError('unsupported', `pre-signed URLs are switched off by ${key}`);
}
