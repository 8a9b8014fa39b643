/** Reads an object as a stream. A connection that breaks or ends early is taken up again where it broke, for the same content. */
import { Readable } from 'node:stream';
import { cancellable } from './cancel.js';
import { withLength } from './stream-length.js';
import type { ByteRange } from './contract.js';

/** Connections that may break in a row without a byte in between. */
const maxResumes = 3;

/** What a store answers to a read. */
export interface ReadAnswer {
  readonly body: Readable;
  /** Bytes; `undefined`: the store did not say. */
  readonly length: number | undefined;
  /** Names the content, such as an etag. Without one, or without a length, a broken connection is an error at once. */
  readonly version: string | undefined;
}

interface Wanted {
  /** Only of this content. Default: of any. */
  readonly version?: string | undefined;
  /** Breaks the connection. */
  readonly signal: AbortSignal;
}

export interface ResumableRead {
  /** Default: the whole object. */
  readonly range?: ByteRange | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds without a byte after which a connection counts as broken. Default: the client finds that out. */
  readonly idleTimeout?: number;
  /** Asks the store. */
  open(range: ByteRange | undefined, wanted: Wanted): Promise<ReadAnswer>;
  /** Whether the store says with an error of `open` that the range begins after the last byte. */
  isPastEnd(error: unknown): boolean;
  /** @returns what the reader sees of an error of `open`. */
  explain(error: unknown): Error;
  /** @returns what the reader sees of an error of a connection that could not be taken up again. */
  explainBreak(error: Error): Error;
}

/**
 * Resolves when the answer has begun.
 * @returns a stream that has no bytes when the range begins after the end.
 * @throws what `explain` says.
 */
export async function resumedRead(read: ResumableRead): Promise<Readable> {
  const { range, signal } = read;
  const closed = new AbortController();
  const wanted = { signal: signal ? AbortSignal.any([signal, closed.signal]) : closed.signal };
  let first: ReadAnswer;
  try {
    first = await read.open(range, wanted);
  } catch (error) {
    if (range && read.isPastEnd(error)) return withLength(Readable.from([], { objectMode: false }), 0);
    throw read.explain(error);
  }
  const download = new Download(first, read, wanted);
  const chunks = download.bytes();
  const stream = new Readable({
    read() {
      chunks.next().then(
        ({ value }) => this.push(value ?? null),
        (error: Error) => this.destroy(error),
      );
    },
    // The generator cannot be ended while it waits for bytes, as `Readable.from` would: the connection that it waits for is broken.
    destroy(error, done) {
      if (!this.readableEnded) {
        closed.abort();
        download.close();
      }
      done(error);
    },
  });
  return first.length === undefined ? cancellable(stream, signal) : withLength(cancellable(stream, signal), first.length);
}

class Download {
  #body: Readable;
  #at: number;
  readonly #end: number | undefined;
  readonly #version: string | undefined;
  readonly #read: ResumableRead;
  readonly #wanted: Wanted;

  constructor({ body, length, version }: ReadAnswer, read: ResumableRead, wanted: Wanted) {
    this.#body = body;
    this.#at = read.range?.start ?? 0;
    this.#end = length === undefined ? undefined : this.#at + length;
    this.#version = version;
    this.#read = read;
    this.#wanted = wanted;
  }

  async *bytes(): AsyncGenerator<Buffer> {
    for (let resumes = 0; ; resumes++) {
      let watchdog = this.#watch();
      let failure: Error;
      try {
        for await (const chunk of this.#body as AsyncIterable<Buffer>) {
          // While the reader takes its time, the connection waits.
          clearTimeout(watchdog);
          this.#at += chunk.length;
          resumes = 0;
          yield chunk;
          watchdog = this.#watch();
        }
        if (this.#end === undefined) return;
        // Clients do not always notice when bytes are missing.
        failure = Object.assign(new Error('the answer ended early'), { code: 'ECONNRESET' });
      } catch (error) {
        failure = error as Error;
      } finally {
        clearTimeout(watchdog);
      }
      if (this.#end !== undefined && this.#at >= this.#end) return;
      if (resumes >= maxResumes) throw this.#read.explainBreak(failure);
      await this.#resume(failure);
    }
  }

  close(): void {
    this.#body.destroy();
  }

  #watch(): NodeJS.Timeout | undefined {
    const { idleTimeout } = this.#read;
    return idleTimeout === undefined ? undefined : setTimeout(() => this.#body.destroy(new Error('no bytes came in time')), idleTimeout);
  }

  async #resume(failure: Error): Promise<void> {
    const [start, end, version] = [this.#at, this.#end, this.#version];
    const { signal } = this.#wanted;
    if (signal.aborted || end === undefined || version === undefined) throw this.#read.explainBreak(failure);
    try {
      ({ body: this.#body } = await this.#read.open({ start, end: end - 1 }, { signal, version }));
    } catch (error) {
      throw this.#read.explain(error);
    }
    // Closed meanwhile.
    if (signal.aborted) this.#body.destroy();
  }
}
