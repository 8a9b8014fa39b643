/** Sends a body of unknown or very great length: one request when it is short, else an upload in parts. */
import { throwIfAborted } from '@srv/kernel';
import { BegunUpload } from './begun-upload.js';
import { PartBuffers } from './part-buffers.js';
import { bodyChunks } from './source.js';
import type { Readable } from 'node:stream';
import type { UploadedPart } from '@srv/lib-stores/block';
import type { UploadEnds } from './begun-upload.js';
import type { BodyPart } from './part-buffers.js';

/** The requests an upload consists of. */
export interface PartUpload<T> extends UploadEnds {
  /** The body fits one part. */
  whole(bytes: Buffer, signal: AbortSignal): Promise<T>;
  /** @returns the etag. */
  part(uploadId: string, partNumber: number, bytes: Buffer, signal: AbortSignal): Promise<string>;
  complete(uploadId: string, parts: readonly UploadedPart[], signal: AbortSignal): Promise<T>;
}

interface UnknownLength {
  readonly size?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Bytes of each part but the last. */
  readonly partBytes: (partNumber: number) => number;
}

/** Bytes on their way at a time; the part that fills up comes on top. One part may exceed it alone. */
const bytesInFlight = 32 << 20;

/** Memory is bounded to four parts of 8 MiB and the one that fills up, more only beyond 6 GiB. On failure nothing is left. */
export async function sendUnknownLength<T>(body: Readable, { size, signal, partBytes }: UnknownLength, upload: PartUpload<T>): Promise<T> {
  throwIfAborted(signal);
  const end = new AbortController();
  const cancel = (): void => end.abort(signal?.reason);
  signal?.addEventListener('abort', cancel, { once: true });
  const buffers = new PartBuffers(partBytes);
  const parts = buffers.cut(bodyChunks(body, { size, signal: end.signal }));
  const sending = new Sending(upload, buffers, end);
  try {
    for await (const part of parts) {
      if (part.isLast && part.partNumber === 1) return await upload.whole(part.bytes, end.signal);
      await sending.add(part);
    }
    return await sending.complete();
  } catch (error) {
    end.abort(error);
    await sending.abort();
    throw sending.failure ?? error;
  } finally {
    signal?.removeEventListener('abort', cancel);
    body.destroy();
  }
}

class Sending<T> {
  readonly #upload: PartUpload<T>;
  readonly #buffers: PartBuffers;
  readonly #end: AbortController;
  readonly #running = new Set<Promise<void>>();
  readonly #sent: UploadedPart[] = [];
  readonly #begun: BegunUpload;
  #bytes = 0;
  /** Why a part could not be sent; the body is then cut off, whose error only follows from it. */
  failure: unknown;

  constructor(upload: PartUpload<T>, buffers: PartBuffers, end: AbortController) {
    this.#upload = upload;
    this.#begun = new BegunUpload(upload);
    this.#buffers = buffers;
    this.#end = end;
  }

  /** Resolves when there is room for the part. */
  async add(part: BodyPart): Promise<void> {
    const uploadId = await this.#begun.id(this.#end.signal);
    while (this.#bytes > 0 && this.#bytes + part.bytes.length > bytesInFlight) await Promise.race(this.#running);
    if (this.failure !== undefined) throw this.failure;
    const running = this.#send(uploadId, part).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Never rejects. */
  async #send(uploadId: string, part: BodyPart): Promise<void> {
    this.#bytes += part.bytes.length;
    try {
      const { partNumber, bytes } = part;
      this.#sent.push({ partNumber, etag: await this.#upload.part(uploadId, partNumber, bytes, this.#end.signal) });
      this.#buffers.release(part);
    } catch (error) {
      if (!this.#end.signal.aborted) {
        this.failure = error;
        this.#end.abort(error);
      }
    }
    this.#bytes -= part.bytes.length;
  }

  async complete(): Promise<T> {
    await Promise.all(this.#running);
    if (this.failure !== undefined) throw this.failure;
    throwIfAborted(this.#end.signal);
    const uploadId = await this.#begun.id(this.#end.signal);
    const parts = this.#sent.sort((a, b) => a.partNumber - b.partNumber);
    return this.#upload.complete(uploadId, parts, this.#end.signal);
  }

  async abort(): Promise<void> {
    await Promise.all(this.#running);
    await this.#begun.discard();
  }
}
