/** An object at its pre-signed URL. URLs expire while a large object is downloaded: one that fails is replaced by a fresh one. */

import { Restart } from './resumed-download.js';
import { SignedRequestError, getSignedRange, isRefusalStatus } from './signed-url.js';
import type { Readable } from 'node:stream';
import type { Client, ObjectStats as ObjectRecord } from '../operations/client.js';

interface SignedObjectOptions {
  readonly api: Client;
  readonly repository: string;
  readonly ref: string;
  readonly path: string;
  readonly signal: AbortSignal;
}

export class SignedObject {
  /** Bytes. */
  readonly size: number;
  readonly checksum: string;
  readonly #options: SignedObjectOptions;
  /** Shared by the requests that are under way; absent: the last one failed. */
  #url: Promise<string> | undefined;

  private constructor(options: SignedObjectOptions, { physical_address: url, size_bytes: size = 0, checksum }: ObjectRecord) {
    this.#options = options;
    this.#url = Promise.resolve(url);
    this.size = size;
    this.checksum = checksum;
  }

  static async find(options: SignedObjectOptions): Promise<SignedObject> {
    return new SignedObject(options, await statSigned(options));
  }

  /**
   * The bytes from `start` to `end`, inclusive.
   * @throws Restart when a fresh URL leads to another object.
   * @throws SignedRequestError when the store refuses a fresh URL, too.
   */
  async openRange(start: number, end: number, signal: AbortSignal): Promise<Readable> {
    for (let isFresh = false; ; isFresh = true) {
      this.#url ??= this.#freshUrl();
      const url = this.#url;
      try {
        return await getSignedRange(await url, start, end, signal);
      } catch (error) {
        // Another request may have replaced it already.
        if (this.#url === url) this.#url = undefined;
        if (isFresh || !(error instanceof SignedRequestError && isRefusalStatus(error.statusCode))) throw error;
      }
    }
  }

  async #freshUrl(): Promise<string> {
    const { physical_address: url, size_bytes: size, checksum } = await statSigned(this.#options);
    if (checksum === this.checksum && size === this.size) return url;
    throw new Restart(`${this.#options.path}: the object was replaced while it was downloaded`);
  }
}

function statSigned({ api, repository, ref, path, signal }: SignedObjectOptions): Promise<ObjectRecord> {
  return api.statObject({ repository, ref, path, presign: true }, { signal });
}
