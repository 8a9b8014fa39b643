/** What is special about Azure Blob Storage as a block store. */
import { PartUploads, StorageClasses, attachment } from '@srv/lib-stores/block';
import { blobUri, findBlob, parseUri } from './address.js';
import { Transfers } from './copy.js';
import { toSrvError } from './errors.js';
import { etagOf } from './etag.js';
import { azureInfo } from './info.js';
import { readObject } from './read.js';
import { batchRemoval } from './remove.js';
import { Signer } from './sign.js';
import { Uploads } from './uploads.js';
import { walkObjects } from './walk.js';
import { writeObject } from './write.js';
import type { Readable } from 'node:stream';
import type { SrvError } from '@srv/kernel';
import type {
  BatchRemoval,
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
import type { BlobPlace } from './address.js';
import type { Accounts } from './client.js';
import type { AzureStoreOptions } from './options.js';

const tiers = ['Hot', 'Cool', 'Cold', 'Archive', 'Premium', 'P4', 'P6', 'P10', 'P15', 'P20', 'P30', 'P40', 'P50', 'P60', 'P70', 'P80'];

export class AzureDriver implements BlockDriver<BlobPlace> {
  readonly info: StorageInfo;
  readonly uploads: UploadDriver<BlobPlace>;
  readonly unsigned: BlockDriver['unsigned'] = {
    object: 'operation not supported: blockstore.azure.disable_pre_signed is set',
    // A block carries no etag in its answer, which clients that upload parts by URL read: they use one URL for the whole object.
    part: 'operation not supported: Azure has no pre-signed parts; use a URL for the whole object',
  };
  readonly removalsAtOnce = 16;
  readonly vend?: (prefix: BlobPlace, request: VendRequest) => Promise<VendedCredentials>;
  readonly batchRemoval: BatchRemoval<BlobPlace>;
  readonly #client: Accounts;
  readonly #options: AzureStoreOptions;
  readonly #signer: Signer;
  readonly #transfers: Transfers;
  /** Access tiers. */
  readonly #classes: StorageClasses;

  constructor(client: Accounts, options: AzureStoreOptions) {
    this.#client = client;
    this.#options = options;
    this.#signer = new Signer(client);
    if (options.vendedCredentials)
      this.vend = async (place, request) => {
        const { account } = place;
        const host = `${account}.${client.domain.replace(/^blob\./, 'dfs.')}`;
        return { kind: 'azure', account, host, ...(await this.#signer.directory(place, request)) };
      };
    this.#transfers = new Transfers(client, this.#signer);
    this.#classes = new StorageClasses({ names: tiers, kind: 'access tier', log: options.log });
    this.info = azureInfo(options, client.domain);
    this.batchRemoval = batchRemoval(client);
    const explain: AzureDriver['explain'] = (error, place, call) => this.explain(error, place, call);
    this.uploads = new PartUploads(new Uploads(client, this.#transfers, this.#classes), { log: options.log, explain });
  }

  resolve(pointer: ObjectPointer): string {
    return blobUri(pointer, this.#client.domain);
  }

  locate(pointer: ObjectPointer): BlobPlace {
    return { ...findBlob(pointer, this.#client.domain), address: this.resolve(pointer) };
  }

  locatePrefix(uri: string): BlobPlace {
    return { ...parseUri(uri, this.#client.domain), address: uri };
  }

  explain(error: unknown, { address, account }: BlobPlace, { signal }: DriverCall): SrvError {
    return toSrvError(error, address, this.#client.endpoint(account), signal);
  }

  async put(place: BlobPlace, body: Readable | Buffer, options: PutOptions): Promise<{ lastModified: Date }> {
    const tier = this.#classes.of(options.storageClass);
    const { lastModified } = await writeObject(this.#client.blob(place), body, { ...options, tier });
    return { lastModified };
  }

  get(place: BlobPlace, { range, signal }: GetOptions): Promise<Readable> {
    return readObject(this.#client, place, { range, signal });
  }

  async properties(place: BlobPlace): Promise<ObjectProperties> {
    const found = await this.#client.blob(place).getProperties();
    return {
      size: found.contentLength ?? 0,
      lastModified: found.lastModified ?? new Date(0),
      etag: etagOf(found),
      storageClass: found.accessTier,
    };
  }

  async remove(place: BlobPlace): Promise<void> {
    await this.#client.blob(place).deleteIfExists();
  }

  async copy(source: BlobPlace, destination: BlobPlace, signal?: AbortSignal): Promise<void> {
    const found = await this.#client.blob(source).getProperties(signal ? { abortSignal: signal } : {});
    const whole = { source, offset: 0, length: found.contentLength ?? 0, version: found.etag };
    try {
      await this.#transfers.copy(whole, this.#client.blob(destination), { md5: found.contentMD5, signal });
    } catch (error) {
      throw this.explain(error, destination, { signal });
    }
  }

  preSign(place: BlobPlace, mode: 'read' | 'write', filename?: string): Promise<PreSigned> {
    const disposition = mode === 'read' && filename !== undefined ? { disposition: attachment(filename) } : {};
    return this.#signer.sign(place, { mode, expiresIn: this.#options.preSignedExpiry, ...disposition });
  }

  walk(prefix: BlobPlace, options: WalkOptions): AsyncIterable<readonly WalkedObject[]> {
    return walkObjects(this.#client, prefix, options);
  }

  close(): void {
    // The client library ends idle connections itself.
  }
}
