/** A resumable upload of the service: blocks in order, taken up where they broke off; nothing is seen until the last. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SrvError } from '@srv/kernel';
import { RequestFailure } from './errors.js';
import { objectOf } from './resource.js';
import type { Block, BucketKey } from '@srv/lib-stores/block';
import type { Api } from './client.js';
import type { WriteOptions } from './options.js';
import type { ObjectResource } from './resource.js';

/** The service's answer to a block that is not the last. */
const incomplete = 308;
/** The session has expired, or was lost. */
const forgotten: readonly number[] = [404, 410];
/** Milliseconds to wait for the answer to a cancellation, which is not needed. */
const cancelTimeoutMs = 5000;

export class ResumableUpload {
  readonly #client: Api;
  readonly #session: string;
  readonly #signal: AbortSignal | undefined;
  /** Bytes the service has, of those before the block at hand. */
  #sent = 0;
  #finished = false;

  private constructor(api: Api, session: string, signal: AbortSignal | undefined) {
    this.#client = api;
    this.#session = session;
    this.#signal = signal;
  }

  static async begin(
    api: Api,
    { bucket, key }: BucketKey,
    { encryption, storageClass, metadata, signal }: WriteOptions,
  ): Promise<ResumableUpload> {
    const { headers } = await api.retried(signal, () =>
      api.answer({
        method: 'POST',
        path: `/upload/storage/v1/b/${encodeURIComponent(bucket)}/o`,
        query: { uploadType: 'resumable', name: key, kmsKeyName: encryption.kmsKeyName },
        headers: encryption.headers,
        json: { name: key, storageClass, metadata },
        signal,
      }),
    );
    const { location } = headers;
    if (location === undefined) throw new RequestFailure('the service began an upload without saying where');
    return new ResumableUpload(api, location, signal);
  }

  /** A block that is not the last one: a multiple of 256 KiB. */
  async send(block: Block): Promise<void> {
    const made = await this.#deliver(block, undefined);
    if (made) throw new RequestFailure('the service ended the upload before its last block');
    this.#sent += block.length;
  }

  /** The last block, which must not be empty. @param md5Hash of the whole, in base64. */
  async finish(block: Block, md5Hash: string): Promise<ObjectResource> {
    const made = await this.#deliver(block, md5Hash);
    if (!made) throw new RequestFailure('the service expects more than the last block');
    this.#finished = true;
    return made;
  }

  /** Makes the service forget what it has. Never fails: the service removes what is left after a week. */
  async cancel(): Promise<void> {
    if (this.#finished) return;
    const call = this.#client.answer({ method: 'DELETE', path: this.#session, headers: {}, accept: [499] }).catch(() => undefined);
    const waiting = new AbortController();
    await Promise.race([call, sleep(cancelTimeoutMs, undefined, { signal: waiting.signal }).catch(() => undefined)]);
    waiting.abort();
  }

  /** @returns the object when the upload has ended. */
  async #deliver(block: Block, md5Hash: string | undefined): Promise<ObjectResource | undefined> {
    const end = this.#sent + block.length;
    const total = md5Hash === undefined ? '*' : String(end);
    const hash: Record<string, string> = md5Hash === undefined ? {} : { 'x-goog-hash': `md5=${md5Hash}` };
    let at = this.#sent;
    let made: ObjectResource | undefined;
    const put = async (headers: Record<string, string>, body?: Block): Promise<void> => {
      const {
        status,
        json,
        headers: answered,
      } = await this.#client.answer<ObjectResource | undefined>({
        method: 'PUT',
        path: this.#session,
        headers: { ...hash, ...headers },
        body,
        accept: [incomplete, ...forgotten],
        signal: this.#signal,
      });
      if (forgotten.includes(status)) throw new SrvError('unavailable', 'the service has forgotten the upload; write the object again');
      if (status !== incomplete) {
        made = objectOf(json);
        return;
      }
      at = Number(/^bytes=0-(\d+)$/.exec(answered.range ?? '')?.[1] ?? -1) + 1;
      if (at < this.#sent || at > end) throw new RequestFailure(`the service has ${at} bytes, between ${this.#sent} and ${end} were sent`);
    };
    const rest = async (): Promise<void> => {
      while (!made && (at < end || md5Hash !== undefined)) {
        const before = at;
        if (at < end) await put({ 'content-range': `bytes ${at}-${end - 1}/${total}` }, dropFirst(block, at - this.#sent));
        else await put({ 'content-range': `bytes */${total}` });
        if (!made && at === before) throw new RequestFailure('the service takes no bytes');
      }
    };
    // After a failure the service says how far it got.
    await this.#client.retried(this.#signal, rest, () => put({ 'content-range': `bytes */${total}` }));
    return made;
  }
}

/** A block without its first bytes. */
function dropFirst({ chunks, length }: Block, bytes: number): Block {
  if (bytes === 0) return { chunks, length };
  const rest: Buffer[] = [];
  let at = 0;
  for (const chunk of chunks) {
    if (at + chunk.length > bytes) rest.push(chunk.subarray(Math.max(0, bytes - at)));
    at += chunk.length;
  }
  return { chunks: rest, length: length - bytes };
}
