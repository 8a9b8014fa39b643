/** The block store contract over a driver: what every store checks, bounds and reports in the same way. */
import { SrvError, isSrvError, throwIfAborted } from '@srv/kernel';
import { KeyedLock } from '../async/keyed-lock.js';
import { bareEtag } from './etag.js';
import { checkPartNumber } from './parts.js';
import { checkRange } from './range.js';
import { asError } from './remove-each.js';
import { removeObjects } from './remove-objects.js';
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
  RemovalFailure,
  SignedRequest,
  StorageInfo,
  UploadStep,
  UploadedPart,
  WalkOptions,
  WalkedObject,
} from './contract.js';
import type { BlockDriver, BlockPlace, DriverCall } from './driver.js';
import type { PartPage } from './parts.js';
import type { Removal } from './remove-objects.js';

type Optional = 'checkReadable' | 'putFile' | 'openUploads' | 'region' | 'vend';
type Offered = { [Name in Optional]: NonNullable<BlockStore[Name]> };

/**
 * A store that checks that it is open, the caller's signal, part numbers and ranges, runs the endings of an upload one after
 * the other, and reports failures as its driver explains them.
 */
export function createBlockStore<Place extends BlockPlace, Prefix extends BlockPlace>(driver: BlockDriver<Place, Prefix>): BlockStore {
  return new DriverStore(driver);
}

class DriverStore<Place extends BlockPlace, Prefix extends BlockPlace> implements BlockStore {
  readonly type: string;
  readonly info: StorageInfo;
  readonly checkReadable?: Offered['checkReadable'];
  readonly putFile?: Offered['putFile'];
  readonly openUploads?: Offered['openUploads'];
  readonly region?: Offered['region'];
  readonly vend?: Offered['vend'];
  readonly #driver: BlockDriver<Place, Prefix>;
  /** One caller at a time ends an upload; the next finds that it has ended. */
  readonly #endings = new KeyedLock();
  #closed = false;

  constructor(driver: BlockDriver<Place, Prefix>) {
    this.type = driver.info.type;
    this.info = driver.info;
    this.#driver = driver;
    const { checkReadable, putFile, openUploads, region, vend } = driver;
    if (checkReadable) this.checkReadable = pointer => checkReadable.call(driver, pointer);
    if (putFile) {
      this.putFile = (pointer, path, options = {}) => this.#run(pointer, {}, place => putFile.call(driver, place, path, options));
    }
    if (openUploads) {
      this.openUploads = (uri, options = {}) => this.#pages<OpenUpload>(uri, options, prefix => openUploads.call(driver, prefix, options));
    }
    if (vend) {
      this.vend = async (uri, request) => {
        this.#checkOpen();
        if (!uri.endsWith('/')) throw new SrvError('invalid', `${uri}: credentials are vended for a prefix that ends in a slash`);
        const prefix = await driver.locatePrefix(uri);
        try {
          return await vend.call(driver, prefix, request);
        } catch (error) {
          throw driver.explain ? driver.explain(error, prefix, {}) : error;
        }
      };
    }
    if (region) {
      this.region = async namespace => {
        this.#checkOpen();
        return region.call(driver, namespace);
      };
    }
  }

  resolve(pointer: ObjectPointer): string {
    return this.#driver.resolve(pointer);
  }

  put(pointer: ObjectPointer, body: Readable | Buffer, options: PutOptions = {}): Promise<{ lastModified: Date }> {
    return this.#run(pointer, options, place => this.#driver.put(place, body, options));
  }

  get(pointer: ObjectPointer, options: GetOptions = {}): Promise<Readable> {
    return this.#run(pointer, options, place => {
      if (options.range) checkRange(options.range);
      return this.#driver.get(place, options);
    });
  }

  async exists(pointer: ObjectPointer): Promise<boolean> {
    const { exists } = this.#driver;
    if (exists) return this.#run(pointer, {}, place => exists.call(this.#driver, place));
    try {
      await this.properties(pointer);
      return true;
    } catch (error) {
      if (isSrvError(error, 'no_data')) return false;
      throw error;
    }
  }

  properties(pointer: ObjectPointer): Promise<ObjectProperties> {
    return this.#run(pointer, {}, place => this.#driver.properties(place));
  }

  async remove(pointer: ObjectPointer): Promise<void> {
    try {
      await this.#run(pointer, {}, place => this.#driver.remove(place));
    } catch (error) {
      if (!isSrvError(error, 'no_data')) throw error;
    }
  }

  async removeAll(
    pointers: readonly ObjectPointer[],
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<RemovalFailure[]> {
    this.#checkOpen(signal);
    const failures: RemovalFailure[] = [];
    const removals: Removal<Place>[] = [];
    for (const pointer of pointers) {
      try {
        removals.push({ pointer, place: await this.#driver.locate(pointer) });
      } catch (error) {
        failures.push({ pointer, error: asError(error) });
      }
    }
    const one = (pointer: ObjectPointer): Promise<void> => this.remove(pointer);
    return [...failures, ...(await removeObjects(this.#driver, removals, { one, signal }))];
  }

  async copy(source: ObjectPointer, destination: ObjectPointer, signal?: AbortSignal): Promise<void> {
    await this.#run(source, { signal }, async from => this.#driver.copy(from, await this.#driver.locate(destination), signal));
  }

  async createMultipart(pointer: ObjectPointer, options: { storageClass?: string } = {}): Promise<{ uploadId: string }> {
    return { uploadId: await this.#run(pointer, {}, place => this.#driver.uploads.begin(place, options)) };
  }

  async uploadPart(
    pointer: ObjectPointer,
    uploadId: string,
    partNumber: number,
    body: Readable | Buffer,
    options: PutOptions = {},
  ): Promise<{ etag: string }> {
    checkPartNumber(partNumber);
    const work = async (place: Place): Promise<{ etag: string }> => {
      const { etag } = await this.#driver.uploads.part(place, uploadId, partNumber, body, options);
      return { etag };
    };
    return this.#run(pointer, { absent: 'upload', signal: options.signal }, work);
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
    return this.#run(destination, { absent: 'upload' }, async to =>
      this.#driver.uploads.copyPart(await this.#driver.locate(source), to, uploadId, partNumber, range),
    );
  }

  async listParts(pointer: ObjectPointer, uploadId: string, page: PartPage = {}): Promise<PartList> {
    return this.#run(pointer, { absent: 'upload' }, place => this.#driver.uploads.list(place, uploadId, page));
  }

  async completeMultipart(pointer: ObjectPointer, uploadId: string, parts: readonly UploadedPart[]): Promise<CompletedUpload> {
    const listed = parts.map(({ partNumber, etag }) => ({ partNumber, etag: bareEtag(etag) }));
    return this.#end(pointer, uploadId, place => this.#driver.uploads.complete(place, uploadId, listed));
  }

  async abortMultipart(pointer: ObjectPointer, uploadId: string): Promise<void> {
    await this.#end(pointer, uploadId, place => this.#driver.uploads.abort(place, uploadId));
  }

  async preSign(pointer: ObjectPointer, mode: 'read' | 'write', filename?: string): Promise<PreSigned> {
    const { preSign, unsigned } = this.#driver;
    if (!preSign || !this.info.preSign) throw new SrvError('unsupported', unsigned.object);
    return this.#run(pointer, {}, place => preSign.call(this.#driver, place, mode, filename));
  }

  async preSignPart(pointer: ObjectPointer, uploadId: string, partNumber: number): Promise<PreSigned> {
    checkPartNumber(partNumber);
    const { preSignPart, unsigned } = this.#driver;
    if (!preSignPart || !this.info.preSignMultipart) throw new SrvError('unsupported', unsigned.part);
    return this.#run(pointer, {}, place => preSignPart.call(this.#driver, place, uploadId, partNumber));
  }

  async preSignUpload(pointer: ObjectPointer, step: UploadStep): Promise<SignedRequest> {
    const { preSignUpload, unsigned } = this.#driver;
    if (!preSignUpload || this.info.clientMultipart !== true) throw new SrvError('unsupported', unsigned.part);
    const source = step.step === 'copyPart' ? await this.#driver.locate(step.source) : undefined;
    return this.#run(pointer, {}, place =>
      preSignUpload.call(this.#driver, place, step.step === 'copyPart' ? { ...step, source: source as Place } : step),
    );
  }

  walk(uri: string, options: WalkOptions = {}): AsyncIterable<readonly WalkedObject[]> {
    return this.#pages<WalkedObject>(uri, options, prefix => this.#driver.walk(prefix, options));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#driver.close();
  }

  async *#pages<Item>(
    uri: string,
    { signal }: { readonly signal?: AbortSignal | undefined },
    pages: (prefix: Prefix) => AsyncIterable<readonly Item[]>,
  ): AsyncGenerator<readonly Item[]> {
    this.#checkOpen(signal);
    const prefix = await this.#driver.locatePrefix(uri);
    try {
      yield* pages(prefix);
    } catch (error) {
      throw this.#driver.explain ? this.#driver.explain(error, prefix, { signal }) : error;
    }
  }

  #end<T>(pointer: ObjectPointer, uploadId: string, work: (place: Place) => Promise<T>): Promise<T> {
    return this.#endings.run(uploadId, () => this.#run(pointer, { absent: 'upload' }, work));
  }

  /** Every read and write passes here: it waits once. */
  async #run<T>(pointer: ObjectPointer, { signal, absent }: DriverCall, work: (place: Place) => Promise<T>): Promise<T> {
    this.#checkOpen(signal);
    const located = this.#driver.locate(pointer);
    const place = located instanceof Promise ? await located : located;
    try {
      return await work(place);
    } catch (error) {
      throw this.#driver.explain ? this.#driver.explain(error, place, absent ? { signal, absent } : { signal }) : error;
    }
  }

  #checkOpen(signal?: AbortSignal): void {
    if (this.#closed) throw new SrvError('closed', 'the block store has been closed');
    throwIfAborted(signal);
  }
}
