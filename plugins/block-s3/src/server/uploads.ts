/** Multipart uploads as the store's callers know them. */
import { buffer } from 'node:stream/consumers';
import { SrvError } from '@srv/kernel';
import { explaining, orderParts } from '@srv/lib-stores/block';
import { headObject } from './address.js';
import { readObject } from './read.js';
import type { Readable } from 'node:stream';
import type { StorageClass } from '@aws-sdk/client-s3';
import type {
  BlockDriver,
  ByteRange,
  CompletedUpload,
  PartList,
  PartPage,
  PutOptions,
  UploadDriver,
  UploadedPart,
} from '@srv/lib-stores/block';
import type { ObjectPlace } from './address.js';
import type { Multipart } from './multipart.js';

/** S3 copies ranges only of larger objects than this, in bytes. */
const smallestRangeSource = 5 << 20;

type Driver = Required<Pick<BlockDriver<ObjectPlace>, 'explain'>>;

export class Uploads implements UploadDriver<ObjectPlace> {
  readonly #multipart: Multipart;
  readonly #driver: Driver;

  constructor(multipart: Multipart, driver: Driver) {
    this.#multipart = multipart;
    this.#driver = driver;
  }

  begin(place: ObjectPlace, { storageClass }: { readonly storageClass?: string }): Promise<string> {
    return this.#multipart.begin(place, { StorageClass: storageClass as StorageClass | undefined });
  }

  async part(place: ObjectPlace, uploadId: string, partNumber: number, body: Readable | Buffer, options: PutOptions) {
    return { etag: await this.#multipart.part(place, uploadId, partNumber, body, options) };
  }

  async copyPart(
    source: ObjectPlace,
    place: ObjectPlace,
    uploadId: string,
    partNumber: number,
    range: ByteRange | undefined,
  ): Promise<{ etag: string; lastModified: Date }> {
    const whole = () => this.#multipart.copyPart(source, place, uploadId, partNumber);
    if (!range) return whole();
    const { ContentLength: size = 0 } = await explaining(this.#driver, source, {}, () => headObject(source));
    const end = Math.min(range.end, size - 1);
    if (range.start > end) throw new SrvError('invalid', `${source.address}: bytes ${range.start}-${range.end} begin after its end`);
    if (range.start === 0 && end === size - 1) return whole();
    if (size > smallestRangeSource) return this.#multipart.copyPart(source, place, uploadId, partNumber, `bytes=${range.start}-${end}`);
    const bytes = await explaining(this.#driver, source, {}, async () => buffer(await readObject(source, { range }, error => error)));
    return { etag: await this.#multipart.part(place, uploadId, partNumber, bytes, {}), lastModified: new Date() };
  }

  list(place: ObjectPlace, uploadId: string, page: PartPage): Promise<PartList> {
    return this.#multipart.list(place, uploadId, page);
  }

  async complete(place: ObjectPlace, uploadId: string, listed: readonly UploadedPart[]): Promise<CompletedUpload> {
    const ordered = orderParts(place.address, listed);
    await this.#multipart.check(place, uploadId);
    return this.#multipart.complete(place, uploadId, ordered);
  }

  async abort(place: ObjectPlace, uploadId: string): Promise<void> {
    await this.#multipart.check(place, uploadId);
    await this.#multipart.abort(place, uploadId);
  }
}
