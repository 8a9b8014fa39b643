/**
 * Writes what arrives into an open file. Few long writes cost less than many short ones, and each of them is under way
 * while the bytes of the next arrive.
 */

import { Writable } from 'node:stream';
import type { Hash } from 'node:crypto';

/** Bytes of a write; about twice as many are in memory. */
const longWrite = 1 << 20;

/** What is asked of a `FileHandle`. */
interface WritableFile {
  writev(chunks: readonly Buffer[], position: number): Promise<{ readonly bytesWritten: number }>;
}

interface FileWriterOptions {
  /** Where in the file the first byte goes. Default: 0. */
  readonly position?: number;
  /** Called after each write. @param count bytes of it. */
  readonly onBytes: (count: number) => void;
  /** Updated with what arrives. */
  readonly hash?: Hash | undefined;
}

/** Does not close the file; after a failure, `FileHandle.close` waits for the write that is under way. */
export class FileWriter extends Writable {
  readonly #file: WritableFile;
  readonly #start: number;
  readonly #onBytes: (count: number) => void;
  readonly #hash: Hash | undefined;
  #gathered: Buffer[] = [];
  #gatheredBytes = 0;
  #writing: Promise<void> = Promise.resolve();
  #written = 0;

  constructor(file: WritableFile, { position = 0, onBytes, hash }: FileWriterOptions) {
    super();
    this.#file = file;
    this.#start = position;
    this.#onBytes = onBytes;
    this.#hash = hash;
  }

  /** Bytes that are in the file. */
  get bytesWritten(): number {
    return this.#written;
  }

  /** After a failure of what is written: writes what has arrived. @returns bytes that are in the file then. */
  async settle(): Promise<number> {
    try {
      await this.#writeGathered();
      await this.#writing;
    } catch {
      // The file does not take more; what is in it counts.
    }
    return this.#written;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#hash?.update(chunk);
    this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.length;
    if (this.#gatheredBytes < longWrite) done();
    else this.#writeGathered().then(() => done(), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#writeGathered()
      .then(() => this.#writing)
      .then(() => done(), done);
  }

  /** Begins the next write. @throws the error of the write before it, whose end it waits for. */
  async #writeGathered(): Promise<void> {
    await this.#writing;
    const chunks = this.#gathered;
    [this.#gathered, this.#gatheredBytes] = [[], 0];
    this.#writing = this.#writeAll(chunks);
    // Callers that await it see its error; there may be none yet.
    this.#writing.catch(() => undefined);
  }

  async #writeAll(chunks: readonly Buffer[]): Promise<void> {
    let left = chunks;
    while (left.length > 0) {
      const { bytesWritten } = await this.#file.writev(left, this.#start + this.#written);
      this.#written += bytesWritten;
      this.#onBytes(bytesWritten);
      left = withoutFirst(left, bytesWritten);
    }
  }
}

/** A file may take fewer bytes than it was given. */
function withoutFirst(chunks: readonly Buffer[], count: number): readonly Buffer[] {
  let gone = count;
  for (const [i, chunk] of chunks.entries()) {
    if (gone < chunk.length) return [chunk.subarray(gone), ...chunks.slice(i + 1)];
    gone -= chunk.length;
  }
  return [];
}
