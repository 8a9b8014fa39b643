/** Writes bodies to files that are complete, hashed and on the disk before they get their name. */
import { createHash, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SrvError, throwIfAborted } from '@srv/kernel';
import type { BigIntStats } from 'node:fs';
import type { Readable } from 'node:stream';
import type { PutOptions } from '@srv/kernel';

/** A file written and synced, not yet in its place. */
export interface WrittenFile {
  readonly path: string;
  readonly md5: string;
  readonly stats: BigIntStats;
}

/** Hashing and writing this much at a time keeps the event loop free. */
const sliceBytes = 256 << 10;

/**
 * Writes a body to a new file in `folder` and syncs it. On failure nothing is left.
 * @throws SrvError `invalid` when the body is not of the announced size, `cancelled` when aborted.
 */
export async function writeTemporary(folder: string, body: Readable | Buffer, { size, signal }: PutOptions): Promise<WrittenFile> {
  throwIfAborted(signal);
  const path = join(folder, randomUUID());
  const file = await open(path, 'wx', 0o666);
  const hash = createHash('md5');
  let written = 0;
  try {
    const write = async (chunks: AsyncIterable<Buffer | string> | Iterable<Buffer>): Promise<void> => {
      for await (const given of chunks) {
        const chunk = typeof given === 'string' ? Buffer.from(given) : given;
        if (size !== undefined && written + chunk.length > size) throw wrongSize(size, 'more');
        for (let at = 0; at < chunk.length; at += sliceBytes) {
          const slice = chunk.subarray(at, at + sliceBytes);
          hash.update(slice);
          await file.writeFile(slice);
        }
        written += chunk.length;
      }
    };
    await (Buffer.isBuffer(body) ? write([body]) : pipeline(body, write, signal ? { signal } : {}));
    throwIfAborted(signal);
    if (size !== undefined && written < size) throw wrongSize(size, String(written));
    await file.sync();
    return { path, md5: hash.digest('hex'), stats: await file.stat({ bigint: true }) };
  } catch (error) {
    await rm(path, { force: true });
    throwIfAborted(signal);
    throw error;
  } finally {
    await file.close();
  }
}

function wrongSize(size: number, found: string): SrvError {
  return new SrvError('invalid', `the body has ${found} bytes, ${size} were announced`);
}
