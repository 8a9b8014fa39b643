/** What is special about S3 as a block store. */
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { bareEtag, bucketKey, bucketPrefix, formatLocation, locate } from '@srv/lib-stores/block';
import { headObject, scheme } from './address.js';
import { copyObject } from './copy.js';
import { translate } from './errors.js';
import { Multipart } from './multipart.js';
import { storeLimits } from './options.js';
import { readObject } from './read.js';
import { batchRemoval } from './remove.js';
import { UrlSigner, partRequest, readRequest, writeRequest } from './sign.js';
import { signUploadStep } from './sign-upload.js';
import { Uploads } from './uploads.js';
import { Vendor } from './vend.js';
import { listUploads, walkObjects } from './walk.js';
import { writeObject } from './write.js';
import type { Readable } from 'node:stream';
import type {
  BatchRemoval,
  BlockDriver,
  BucketKey,
  DriverCall,
  GetOptions,
  ObjectPointer,
  ObjectProperties,
  OpenUpload,
  PreSigned,
  PutOptions,
  SignedRequest,
  StorageInfo,
  UploadDriver,
  UploadStep,
  VendRequest,
  VendedCredentials,
  WalkOptions,
  WalkedObject,
} from '@srv/lib-stores/block';
import type { ObjectFacts, ObjectPlace } from './address.js';
import type { Clients } from './client.js';
import type { S3StoreOptions, StoreLimits } from './options.js';
import type { BucketRegions } from './regions.js';
import type { UrlRequest } from './sign.js';

export class S3Driver implements BlockDriver<ObjectPlace> {
  readonly info: StorageInfo;
  readonly uploads: UploadDriver<ObjectPlace>;
  readonly unsigned: BlockDriver['unsigned'];
  readonly removalsAtOnce = 32;
  readonly vend?: (prefix: ObjectPlace, request: VendRequest) => Promise<VendedCredentials>;
  readonly batchRemoval: BatchRemoval<ObjectPlace>;
  readonly #client: Clients;
  readonly #options: S3StoreOptions;
  readonly #signer = new UrlSigner();
  readonly #regions: BucketRegions;
  readonly #multipart: Multipart;
  readonly #limits: StoreLimits;

  constructor(client: Clients, regions: BucketRegions, options: S3StoreOptions) {
    this.#client = client;
    this.#options = options;
    this.#regions = regions;
    this.#multipart = new Multipart(options.encryption, options.log);
    this.#limits = { ...storeLimits, ...options.limits };
    this.info = options.info;
    this.batchRemoval = batchRemoval(this.#limits.removals);
    this.uploads = new Uploads(this.#multipart, this);
    if (options.vend) {
      const vendor = new Vendor(options.vend, client);
      this.vend = async (place, request) => vendor.vend(place, await regions.of(place.bucket), request);
    }
    const object = switchedOff('blockstore.s3.disable_pre_signed');
    this.unsigned = { object, part: this.info.preSign ? switchedOff('blockstore.s3.disable_pre_signed_multipart') : object };
  }

  resolve(pointer: ObjectPointer): string {
    return formatLocation(locate(pointer, [scheme]));
  }

  locate(pointer: ObjectPointer): Promise<ObjectPlace> {
    return this.#at(bucketKey(pointer, scheme), this.resolve(pointer));
  }

  locatePrefix(uri: string): Promise<ObjectPlace> {
    return this.#at(bucketPrefix(uri, scheme), uri);
  }

  explain(error: unknown, { address }: ObjectPlace, call: DriverCall): unknown {
    return translate(error, { address, endpoint: this.#client.endpoint, ...call });
  }

  put(place: ObjectPlace, body: Readable | Buffer, options: PutOptions): Promise<{ lastModified: Date }> {
    const [{ encryption }, { putBytes }] = [this.#options, this.#limits];
    return writeObject(place, body, { ...options, encryption, putBytes, multipart: this.#multipart });
  }

  get(place: ObjectPlace, options: GetOptions): Promise<Readable> {
    const failed = (error: Error): Error => {
      const failure = this.explain(error, place, { signal: options.signal });
      return failure instanceof Error ? failure : error;
    };
    return readObject(place, options, failed);
  }

  async properties(place: ObjectPlace): Promise<ObjectProperties> {
    const { ContentLength = 0, LastModified = new Date(0), ETag = '', StorageClass: storageClass } = await headObject(place);
    const facts = { size: ContentLength, lastModified: LastModified, etag: bareEtag(ETag) };
    return storageClass === undefined ? facts : { ...facts, storageClass };
  }

  async remove({ client, bucket, key }: ObjectPlace): Promise<void> {
    await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
  }

  async copy(source: ObjectPlace, destination: ObjectPlace, signal?: AbortSignal): Promise<void> {
    const head = await headObject(source, signal);
    const { encryption } = this.#options;
    const upload = (kept: ObjectFacts) => this.#multipart.upload(destination, kept);
    await copyObject({ source, head, destination, encryption, limits: this.#limits, signal, upload });
  }

  preSign(place: ObjectPlace, mode: 'read' | 'write', filename?: string): Promise<PreSigned> {
    return this.#sign(place, mode === 'read' ? readRequest(place, filename) : writeRequest(place));
  }

  preSignPart(place: ObjectPlace, uploadId: string, partNumber: number): Promise<PreSigned> {
    return this.#sign(place, partRequest(place, uploadId, partNumber));
  }

  async preSignUpload({ bucket, key }: ObjectPlace, step: UploadStep<ObjectPlace>): Promise<SignedRequest> {
    const client = this.#client.preSigning(await this.#regions.of(bucket));
    return signUploadStep(client, { bucket, key }, step, this.#options.preSignedExpiryMs);
  }

  walk(prefix: ObjectPlace, { after, signal }: WalkOptions): AsyncIterable<readonly WalkedObject[]> {
    return walkObjects(prefix, { after, signal, pageSize: this.#limits.pageSize });
  }

  openUploads(prefix: ObjectPlace, { signal }: { readonly signal?: AbortSignal | undefined }): AsyncIterable<readonly OpenUpload[]> {
    return listUploads(prefix, { signal, pageSize: this.#limits.pageSize });
  }

  /** Region of the namespace's bucket. */
  region(namespace: string): Promise<string> {
    return this.#regions.of(bucketPrefix(namespace, scheme).bucket);
  }

  close(): void {
    this.#client.close();
  }

  async #at({ bucket, key }: BucketKey, address: string): Promise<ObjectPlace> {
    return { client: this.#client.in(await this.#regions.of(bucket)), bucket, key, address };
  }

  async #sign({ bucket }: ObjectPlace, request: UrlRequest): Promise<PreSigned> {
    const client = this.#client.preSigning(await this.#regions.of(bucket));
    return this.#signer.preSign(client, request, this.#options.preSignedExpiryMs);
  }
}

function switchedOff(key: string): string {
  return `pre-signed URLs are switched off by ${key}`;
}
