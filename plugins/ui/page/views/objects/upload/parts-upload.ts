/** A large file on its way to the object store in parts. Stored parts stay until the upload is given up, so that it can be resumed. */

import { Refusal, call } from '@srv/lib-page/page';
import { planParts } from '../../../../src/model/part-plan.js';
import { retry } from './retry.js';
import { putSigned } from './store-put.js';
import type { PlannedPart } from '../../../../src/model/part-plan.js';
import type { FileUpload } from './send-file.js';

type Target = Pick<FileUpload, 'repository' | 'branch' | 'path' | 'file'>;
type Run = Pick<FileUpload, 'signal' | 'onProgress'>;

/** Requests at once, for each file. */
const atATime = 4;

export class PartsUpload {
  readonly #target: Target;
  readonly #parts: readonly PlannedPart[];
  /** By number. */
  readonly #etags = new Map<number, string>();
  #begun: { readonly upload_id: string; readonly physical_address: string } | undefined;

  constructor({ repository, branch, path, file }: Target) {
    this.#target = { repository, branch, path, file };
    this.#parts = planParts(file.size);
  }

  isOf(file: File): boolean {
    return this.#target.file === file;
  }

  /** Sends what is not stored yet, and makes it an object. @throws StoreRefusal; Refusal; an `AbortError` when cancelled. */
  async run({ signal, onProgress }: Run): Promise<void> {
    const { repository, branch, path, file } = this.#target;
    // Not cancelled: an upload whose id never arrives could not be given up.
    this.#begun ??= await call('createPresignMultipartUpload', { repository, branch, path, parts: 0 });
    signal.throwIfAborted();
    await this.#sendMissing({ signal, onProgress });
    const { upload_id: uploadId, physical_address } = this.#begun;
    const parts = this.#parts.map(({ number }) => ({ part_number: number, etag: this.#etags.get(number) ?? '' }));
    const body = { physical_address, parts, ...(file.type ? { content_type: file.type } : {}) };
    const stored = await call('completePresignMultipartUpload', { repository, branch, path, uploadId, body }, { signal });
    this.#begun = undefined;
    if (stored.size_bytes !== file.size)
      throw new Error(`The object store has ${stored.size_bytes} bytes of ${file.size}. Upload the file again.`);
  }

  /** Removes all parts from the store. A failure is ignored: the store removes leftovers in time. */
  async giveUp(): Promise<void> {
    const begun = this.#begun;
    if (!begun) return;
    this.#begun = undefined;
    this.#etags.clear();
    const { repository, branch, path } = this.#target;
    const body = { physical_address: begun.physical_address };
    await call('abortPresignMultipartUpload', { repository, branch, path, uploadId: begun.upload_id, body }).catch(() => undefined);
  }

  /** The first failure stops the others. */
  async #sendMissing({ signal, onProgress }: Run): Promise<void> {
    const failed = new AbortController();
    const either = AbortSignal.any([signal, failed.signal]);
    const queue = this.#parts.filter(({ number }) => !this.#etags.has(number));
    const underWay = new Map<number, number>();
    const report = (): void => {
      const stored = this.#parts.reduce((sum, { number, start, end }) => sum + (this.#etags.has(number) ? end - start : 0), 0);
      onProgress([...underWay.values()].reduce((sum, bytes) => sum + bytes, stored));
    };
    const work = async (): Promise<void> => {
      for (let part = queue.shift(); part; part = queue.shift()) {
        const { number } = part;
        const etag = await this.#sendPart(part, either, sent => {
          underWay.set(number, sent);
          report();
        });
        underWay.delete(number);
        this.#etags.set(number, etag);
        report();
      }
    };
    let first: unknown;
    const stopOthers = (error: unknown): void => {
      if (failed.signal.aborted) return;
      first = error;
      failed.abort();
    };
    await Promise.all(Array.from({ length: atATime }, () => work().catch(stopOthers)));
    if (failed.signal.aborted) throw first;
  }

  async #sendPart({ number, start, end }: PlannedPart, signal: AbortSignal, onProgress: (sent: number) => void): Promise<string> {
    const { repository, branch, path, file } = this.#target;
    const { upload_id: uploadId, physical_address } = this.#begun ?? lost();
    return retry(async () => {
      const at = { repository, branch, path, uploadId, partNumber: number };
      const { presigned_url: url } = await call('uploadPart', { ...at, body: { physical_address } }, { signal });
      onProgress(0);
      return putSigned({ repository, url, body: file.slice(start, end), signal, onProgress });
    }, signal);
  }
}

/** The server no longer knows the upload, or will never accept it: continuing is useless. */
export function isHopeless(error: unknown): boolean {
  return error instanceof Refusal && error.status >= 400 && error.status < 500 && error.status !== 429;
}

function lost(): never {
  throw new Error('The upload was given up.');
}
