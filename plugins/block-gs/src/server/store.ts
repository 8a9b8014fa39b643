/** What is special about Google Cloud Storage as a block store. */

import { SrvError, isSrvError } from '@srv/kernel';
import { PartUploads, StorageClasses, attachment, bucketPrefix, formatLocation, locate } from '@srv/lib-stores/block';
import { findObject, scheme } from './address.js';
import { objectPath } from './client.js';
import { copyObject } from './copy.js';
import { isStatus, toSrvError } from './errors.js';
import { gsInfo } from './info.js';
import { readObject } from './read.js';
import { etagOf, sizeOf, updatedOf } from './resource.js';
import { Uploads } from './uploads.js';
import { downscopedToken } from './vend.js';
import { walkObjects } from './walk.js';
import { writeObject } from './write.js';
import type { Readable } from 'node:stream';
import type {
  BlockDriver,
  DriverCall,
  GetOptions,
  ObjectPointer,
  ObjectProperties,
  PreSigned,
  PutOptions,
  StorageInfo,
  UploadDriver,
  VendRequest,
  VendedCredentials,
  WalkOptions,
  WalkedObject,
} from '@srv/lib-stores/block';
import type { ObjectPlace } from './address.js';
import type { Api } from './client.js';
import type { Encryption } from './encryption.js';
import type { GsStoreOptions } from './options.js';
import type { ObjectResource } from './resource.js';
import type { SignOptions, UrlSigner } from './sign.js';

const classNames = ['STANDARD', 'NEARLINE', 'COLDLINE', 'ARCHIVE'];

export class GsDriver implements BlockDriver<ObjectPlace> {
  readonly info: StorageInfo;
  readonly uploads: UploadDriver<ObjectPlace>;
  readonly unsigned: BlockDriver['unsigned'];
  /** The JSON API has no request that removes many objects; its batch calls count as one request per object all the same. */
  readonly removalsAtOnce = 32;
  readonly vend?: (prefix: ObjectPlace, request: VendRequest) => Promise<VendedCredentials>;
  readonly #client: Api;
  readonly #options: GsStoreOptions;
  readonly #signer: UrlSigner;
  readonly #encryption: Encryption;
  readonly #classes: StorageClasses;

  constructor(client: Api, signer: UrlSigner, encryption: Encryption, options: GsStoreOptions) {
    this.#client = client;
    this.#options = options;
    this.#signer = signer;
    this.#encryption = encryption;
    this.#classes = new StorageClasses({ names: classNames, kind: 'storage class', log: options.log });
    this.info = gsInfo(options, encryption);
    const { vend } = options;
    if (vend) this.vend = (place, request) => downscopedToken(place, request, vend);
    const object = 'operation not supported: blockstore.gs.disable_pre_signed is set';
    this.unsigned = { object, part: this.info.preSign ? 'operation not supported: encrypted parts cannot be uploaded by URL' : object };
    const explain: GsDriver['explain'] = (error, place, call) => this.explain(error, place, call);
    this.uploads = new PartUploads(new Uploads(client, encryption, this.#classes), { log: options.log, explain });
  }

  resolve(pointer: ObjectPointer): string {
    return formatLocation(locate(pointer, [scheme]));
  }

  locate(pointer: ObjectPointer): ObjectPlace {
    return findObject(pointer);
  }

  locatePrefix(uri: string): ObjectPlace {
    return { ...bucketPrefix(uri, scheme), address: uri };
  }

  explain(error: unknown, { address }: ObjectPlace, { signal }: DriverCall): SrvError {
    return toSrvError(error, address, this.#client.endpoint, signal);
  }

  async put(place: ObjectPlace, body: Readable | Buffer, options: PutOptions): Promise<{ lastModified: Date }> {
    const storageClass = this.#classes.of(options.storageClass);
    return {
      lastModified: updatedOf(await writeObject(this.#client, place, body, { ...options, storageClass, encryption: this.#encryption })),
    };
  }

  get(place: ObjectPlace, { range, signal }: GetOptions): Promise<Readable> {
    return readObject(this.#client, place, { encryption: this.#encryption, range, signal });
  }

  async properties(place: ObjectPlace): Promise<ObjectProperties> {
    const found = await this.#find(place);
    return {
      size: sizeOf(found),
      lastModified: updatedOf(found),
      etag: etagOf(found),
      storageClass: found.storageClass,
    };
  }

  async remove(place: ObjectPlace): Promise<void> {
    try {
      await this.#client.json({ method: 'DELETE', path: objectPath(place) });
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
    }
  }

  async copy(source: ObjectPlace, destination: ObjectPlace, signal?: AbortSignal): Promise<void> {
    await copyObject(this.#client, source, destination, { encryption: this.#encryption, signal });
  }

  async preSign(place: ObjectPlace, mode: 'read' | 'write', filename?: string): Promise<PreSigned> {
    checkSignable(place);
    // The key would have to be sent along, and must not be disclosed.
    if (this.#encryption.hasCustomerKey && (await this.#isUnderCustomerKey(place)))
      throw new SrvError('unsupported', `${place.address}: operation not supported: the object is encrypted with a customer-supplied key`);
    return this.#sign(place, { mode, disposition: mode === 'read' && filename !== undefined ? attachment(filename) : undefined });
  }

  async preSignPart(place: ObjectPlace, uploadId: string, partNumber: number): Promise<PreSigned> {
    const part = Uploads.part(place, uploadId, partNumber);
    checkSignable(part);
    return this.#sign(part, { mode: 'write' });
  }

  walk(prefix: ObjectPlace, options: WalkOptions): AsyncIterable<readonly WalkedObject[]> {
    return walkObjects(this.#client, prefix, options);
  }

  close(): void {
    this.#client.close();
  }

  /** Without a customer's key: the answer then equals what listings report. */
  #find(place: ObjectPlace): Promise<ObjectResource> {
    return this.#client.object({ path: objectPath(place) });
  }

  async #isUnderCustomerKey(place: ObjectPlace): Promise<boolean> {
    try {
      return (await this.#find(place)).customerEncryption !== undefined;
    } catch (error) {
      if (isSrvError(this.explain(error, place, {}), 'no_data')) return false;
      throw error;
    }
  }

  #sign(place: ObjectPlace, options: Omit<SignOptions, 'expiresIn'>): Promise<PreSigned> {
    return this.#signer.sign(place, { ...options, expiresIn: this.#options.preSignedExpiry });
  }
}

function checkSignable({ key }: ObjectPlace): void {
  if (key.split('/').some(segment => segment === '.' || segment === '..'))
    throw new SrvError('unsupported', `${key}: operation not supported: clients fold . and .. in URLs`);
}
