/** Writes bodies to files that are complete, hashed and on the disk before they get their name. */
import { createHash, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SrvError, throwIfAborted } from '@srv/kernel';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { PutOptions } from '@srv/lib-block-store';
import type { FileState } from '../small-files/small-write-messages.js';

/** A file written and synced, not yet in its place. */
export interface WrittenFile {
  readonly path: string;
  readonly md5: string;
  readonly state: FileState;
}

/** When a file was last written. */
export function lastModifiedOf({ mtimeNs }: FileState): Date {
  return new Date(Number(mtimeNs / 1_000_000n));
}

/** Hashing and writing this much at a time keeps the event loop free. */
const sliceBytes = 256 << 10;

/**
 * Writes a body to a new file in `folder` and syncs it. On failure nothing is left.
 * @throws SrvError `invalid` when the body is not of the announced size, `cancelled` when aborted.
 */
export async function writeTemporary(
  folder: string,
  body: Readable | Buffer,
  { size, signal, md5: knownMd5 }: PutOptions,
): Promise<WrittenFile> {
  throwIfAborted(signal);
  const path = join(folder, randomUUID());
  const file = await open(path, 'wx', 0o666);
  const hash = knownMd5 ? undefined : createHash('md5');
  const writer = new GatheringWriter(file);
  let length = 0;
  try {
    const write = async (chunks: AsyncIterable<Buffer | string> | Iterable<Buffer>): Promise<void> => {
      for await (const given of chunks) {
        const chunk = typeof given === 'string' ? Buffer.from(given) : given;
        if (size !== undefined && length + chunk.length > size) throw wrongSize(size, 'more');
        for (let at = 0; at < chunk.length; at += sliceBytes) {
          const slice = chunk.subarray(at, at + sliceBytes);
          hash?.update(slice);
          await writer.add(slice);
        }
        length += chunk.length;
      }
    };
    await (Buffer.isBuffer(body) ? write([body]) : pipeline(body, write, signal ? { signal } : {}));
    throwIfAborted(signal);
    if (size !== undefined && length < size) throw wrongSize(size, String(length));
    await writer.finish();
    await file.sync();
    return { path, md5: knownMd5?.() ?? hash?.digest('hex') ?? '', state: await file.stat({ bigint: true }) };
  } catch (error) {
    await writer.finish().catch(() => undefined);
    await rm(path, { force: true });
    throwIfAborted(signal);
    throw error;
  } finally {
    await file.close();
  }
}

/** Writes what has gathered while the last write was under way: the next bytes are received and hashed meanwhile. */
class GatheringWriter {
  readonly #file: FileHandle;
  #gathered: Buffer[] = [];
  #bytes = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** The bytes must stay as they are. Waits when the disk is slower than the body. */
  async add(bytes: Buffer): Promise<void> {
    this.#gathered.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes >= sliceBytes) await this.#flush();
  }

  /** Returns when everything is written. */
  async finish(): Promise<void> {
    await this.#flush();
    await this.#writing;
  }

  async #flush(): Promise<void> {
    await this.#writing;
    const [buffers, expected] = [this.#gathered, this.#bytes];
    [this.#gathered, this.#bytes] = [[], 0];
    if (expected === 0) return;
    this.#writing = this.#write(buffers, expected);
    // Whoever waits next sees the failure.
    this.#writing.catch(() => undefined);
  }

  async #write(buffers: Buffer[], expected: number): Promise<void> {
    const { bytesWritten } = await this.#file.writev(buffers);
    // The system may take less than it is given.
    if (bytesWritten < expected) await this.#file.writeFile(Buffer.concat(buffers).subarray(bytesWritten));
  }
}

export function wrongSize(size: number, found: string): SrvError {
  return new SrvError('invalid', `the body has ${found} bytes, ${size} were announced`);
}
