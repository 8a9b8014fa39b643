/**
 * Multipart uploads for backends that have objects only. Each part is an object of its own until a last request joins them.
 * How parts are named, found and joined is the backend's; when an upload counts as known, which parts a list means, and what
 * is left when a part or an ending fails, is decided here.
 */
import { isSrvError, messageOf } from '@srv/kernel';
import { isMd5, multipartEtag } from './etag.js';
import { matchPart, orderParts, pageOfParts } from './parts.js';
import type { Readable } from 'node:stream';
import type { Logger } from '@srv/kernel';
import type { ByteRange, CompletedUpload, ListedPart, PartList, PutOptions, UploadedPart } from './contract.js';
import type { BlockDriver, BlockPlace, UploadDriver } from './driver.js';
import type { PartPage } from './parts.js';

/** An upload as the backend has it. */
export interface KeptUpload<Part extends ListedPart> {
  readonly parts: readonly Part[];
}

export interface WrittenPart {
  /** Without quotes. */
  readonly etag: string;
  readonly lastModified: Date;
}

/** The five requests that uploads consist of, `copyPart` beside `part`, and the two that keep parts from outliving them. */
export interface PartBackend<
  Place extends BlockPlace,
  Part extends ListedPart,
  Upload extends KeptUpload<Part>,
  Written extends WrittenPart = WrittenPart,
> {
  /** @returns the id of the upload. */
  begin(place: Place, options: { readonly storageClass?: string }): Promise<string>;
  /** @throws SrvError `not_found` for an upload that was never begun, was completed or aborted. */
  check(place: Place, uploadId: string): Promise<void>;
  part(place: Place, uploadId: string, partNumber: number, body: Readable | Buffer, options: PutOptions): Promise<Written>;
  copyPart(source: Place, place: Place, uploadId: string, partNumber: number, range: ByteRange | undefined): Promise<Written>;
  /** @throws SrvError `not_found` as {@link check}. */
  list(place: Place, uploadId: string): Promise<Upload>;
  /** Makes the object of the parts, which stay. */
  complete(place: Place, uploadId: string, joining: Joining<Part, Upload>): Promise<WrittenPart>;
  /** Removes the upload, then what is left of its parts. */
  abort(place: Place, uploadId: string, upload: Upload): Promise<void>;
  /** Removes a part whose upload has ended while it was written. */
  dropPart(written: Written): Promise<void>;
}

export interface Joining<Part extends ListedPart, Upload extends KeptUpload<Part>> {
  readonly upload: Upload;
  /** In ascending number. */
  readonly parts: readonly Part[];
  /** To be called when the parts have been read. @throws SrvError `invalid` when one was sent again meanwhile. */
  recheck(): Promise<void>;
}

interface Reports<Place extends BlockPlace> {
  /** Receives what remains of a completed upload. */
  readonly log: Logger;
  readonly explain: NonNullable<BlockDriver<Place>['explain']>;
}

export class PartUploads<Place extends BlockPlace, Part extends ListedPart, Upload extends KeptUpload<Part>, Written extends WrittenPart>
  implements UploadDriver<Place>
{
  readonly #backend: PartBackend<Place, Part, Upload, Written>;
  readonly #reports: Reports<Place> | undefined;

  /** @param reports absent: completing fails when something remains of the upload. */
  constructor(backend: PartBackend<Place, Part, Upload, Written>, reports?: Reports<Place>) {
    this.#backend = backend;
    this.#reports = reports;
  }

  begin(place: Place, options: { readonly storageClass?: string }): Promise<string> {
    return this.#backend.begin(place, options);
  }

  part(place: Place, uploadId: string, partNumber: number, body: Readable | Buffer, options: PutOptions): Promise<WrittenPart> {
    return this.#keep(place, uploadId, () => this.#backend.part(place, uploadId, partNumber, body, options));
  }

  copyPart(source: Place, place: Place, uploadId: string, partNumber: number, range: ByteRange | undefined): Promise<WrittenPart> {
    return this.#keep(place, uploadId, () => this.#backend.copyPart(source, place, uploadId, partNumber, range));
  }

  async list(place: Place, uploadId: string, page: PartPage): Promise<PartList> {
    const { parts, ...rest } = pageOfParts((await this.#backend.list(place, uploadId)).parts, page);
    return { parts: parts.map(({ partNumber, etag, size, lastModified }) => ({ partNumber, etag, size, lastModified })), ...rest };
  }

  async complete(place: Place, uploadId: string, listed: readonly UploadedPart[]): Promise<CompletedUpload> {
    const upload = await this.#backend.list(place, uploadId);
    const parts = match(place, upload, listed);
    const recheck = async (): Promise<void> => void match(place, await this.#backend.list(place, uploadId), parts);
    const { etag, lastModified } = await this.#backend.complete(place, uploadId, { upload, parts, recheck });
    try {
      await this.#backend.abort(place, uploadId, upload);
    } catch (error) {
      if (!this.#reports) throw error;
      // The object is there: what is left of the upload is a matter of tidiness.
      const failure = this.#reports.explain(error, place, {});
      const facts = { address: place.address, upload_id: uploadId, ...(isSrvError(failure) ? { code: failure.code } : {}) };
      this.#reports.log.warn({ ...facts, error: messageOf(failure) }, 'parts of a completed upload remain');
    }
    const etags = parts.map(part => part.etag);
    const size = parts.reduce((sum, part) => sum + part.size, 0);
    // A part that the backend copied may have no MD5.
    return { etag: etags.every(isMd5) ? multipartEtag(etags) : etag, size, lastModified };
  }

  async abort(place: Place, uploadId: string): Promise<void> {
    await this.#backend.abort(place, uploadId, await this.#backend.list(place, uploadId));
  }

  /** @throws SrvError `not_found` when the upload ended while the part was written; the part is then removed here. */
  async #keep(place: Place, uploadId: string, write: () => Promise<Written>): Promise<WrittenPart> {
    await this.#backend.check(place, uploadId);
    const written = await write();
    try {
      await this.#backend.check(place, uploadId);
    } catch (error) {
      if (isSrvError(error, 'not_found')) await this.#backend.dropPart(written);
      throw error;
    }
    return { etag: written.etag, lastModified: written.lastModified };
  }
}

/** The listed parts in order. @throws SrvError `invalid` when the list does not agree with what was sent. */
function match<Part extends ListedPart>({ address }: BlockPlace, { parts }: KeptUpload<Part>, listed: readonly UploadedPart[]): Part[] {
  const byNumber = new Map(parts.map(part => [part.partNumber, part]));
  return orderParts(address, listed).map(part => matchPart(address, part, byNumber.get(part.partNumber)));
}
