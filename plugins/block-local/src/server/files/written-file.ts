/** Writes bodies to files that are complete, hashed and on the disk before they get their name. */
import { randomUUID } from 'node:crypto';
import { constants, copyFile, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { throwIfAborted } from '@srv/kernel';
import { isReusing, wrongSize } from '@srv/lib-stores/block';
import { BodyDigest, hashKind } from '@srv/lib-stores/body-digest';
import { writeAll } from './write-all.js';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { PutOptions, ReusingBody } from '@srv/lib-stores/block';
import type { FileState } from '../small-files/small-write-messages.js';
import type { Drafting } from './temporary.js';

/** A file written and synced, not yet in its place. */
export interface SyncedFile {
  readonly path: string;
  readonly state: FileState;
  /** Absent: not hashed. */
  readonly md5?: string;
}

/** A synced file of known hash. */
export type WrittenFile = Required<SyncedFile>;

/** When a file was last written. */
export function lastModifiedOf({ mtimeNs }: FileState): Date {
  return new Date(Number(mtimeNs / 1_000_000n));
}

/** Bytes written at a time. */
const sliceBytes = 256 << 10;

/**
 * Writes a body to a new file in `folder` and syncs it. On failure nothing is left.
 * @throws SrvError `invalid` when the body is not of the announced size, `cancelled` when aborted.
 */
export async function writeTemporary(folder: Drafting, body: Readable | Buffer, options: PutOptions): Promise<WrittenFile> {
  throwIfAborted(options.signal);
  const path = join(folder.path, randomUUID());
  const file = await open(path, 'wx', 0o666);
  try {
    const { md5 } = await writeBody({ file, position: 0, syncs: folder.syncs }, body, options);
    return { path, state: await file.stat({ bigint: true }), md5 };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

interface BodyPlace {
  readonly file: FileHandle;
  /** Of the first byte. */
  readonly position: number;
  /** Whether the body is on the disk at the end. */
  readonly syncs: boolean;
}

/**
 * Writes a body into an open file. When it fails, nothing is written any more.
 * @returns its MD5 in hex. @throws as {@link writeTemporary}.
 */
export async function writeBody(
  { file, position, syncs }: BodyPlace,
  body: Readable | Buffer,
  { size, signal, md5: knownMd5 }: PutOptions,
): Promise<{ md5: string }> {
  const digest = knownMd5 ? undefined : new BodyDigest([hashKind('md5')]);
  const writer = new GatheringWriter(file, position, !Buffer.isBuffer(body) && isReusing(body) && !digest ? body : undefined);
  let length = 0;
  const write = async (chunks: AsyncIterable<Buffer | string> | Iterable<Buffer>): Promise<void> => {
    for await (const given of chunks) {
      const chunk = typeof given === 'string' ? Buffer.from(given) : given;
      if (size !== undefined && length + chunk.length > size) throw wrongSize(size, 'more');
      for (let at = 0; at < chunk.length; at += sliceBytes) {
        const slice = chunk.subarray(at, at + sliceBytes);
        const behind = digest?.update(slice);
        if (behind) await behind;
        await writer.add(slice);
      }
      length += chunk.length;
    }
  };
  try {
    await (Buffer.isBuffer(body) ? write([body]) : pipeline(body, write, { signal }));
    throwIfAborted(signal);
    if (size !== undefined && length < size) throw wrongSize(size, String(length));
    await writer.finish();
    const md5 = digest ? Promise.resolve(digest.finish()).then(([found]) => found?.toString('hex') ?? '') : (knownMd5?.() ?? '');
    return { md5: await (syncs ? synced(file, md5) : md5) };
  } catch (error) {
    digest?.abandon();
    await writer.finish().catch(() => undefined);
    throwIfAborted(signal);
    throw error;
  }
}

/**
 * Copies a file to a new one in `folder`, by the system and unhashed, and syncs it. On failure nothing is left.
 * @throws SrvError `invalid` when it is not of the announced size.
 */
export async function copyTemporary(folder: Drafting, source: string, size?: number): Promise<SyncedFile> {
  const path = join(folder.path, randomUUID());
  try {
    await copyFile(source, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    const file = await open(path, 'r+');
    try {
      if (folder.syncs) await file.sync();
      const state = await file.stat({ bigint: true });
      if (size !== undefined && state.size !== BigInt(size)) throw wrongSize(size, String(state.size));
      return { path, state };
    } finally {
      await file.close();
    }
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** Syncs a written file while its MD5 is still computed. */
async function synced(file: FileHandle, md5: string | Promise<string>): Promise<string> {
  const hashing = Promise.resolve(md5);
  // It is waited for below, unless the sync fails first.
  hashing.catch(() => undefined);
  await file.sync();
  return hashing;
}

/** Writes what has gathered while the last write was under way: the next bytes are received and hashed meanwhile. */
class GatheringWriter {
  readonly #file: FileHandle;
  readonly #source: ReusingBody | undefined;
  #position: number;
  #gathered: Buffer[] = [];
  #bytes = 0;
  #writing: Promise<void> = Promise.resolve();

  /** @param position of the first byte. @param source gets what has been written back. */
  constructor(file: FileHandle, position: number, source: ReusingBody | undefined) {
    this.#file = file;
    this.#position = position;
    this.#source = source;
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
    this.#writing = this.#write(buffers, expected, this.#position);
    this.#position += expected;
    // The next to wait sees the failure.
    this.#writing.catch(() => undefined);
  }

  async #write(buffers: readonly Buffer[], length: number, position: number): Promise<void> {
    await writeAll(this.#file, buffers, length, position);
    if (this.#source) for (const buffer of buffers) this.#source.takeBack(buffer);
  }
}
