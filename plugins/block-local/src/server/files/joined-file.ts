/** Copies files one after the other into a new file that is complete and on the disk before it gets its name. */
import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { wrongSize } from '@srv/lib-stores/block';
import { writeAll } from './write-all.js';
import type { FileHandle } from 'node:fs/promises';
import type { Drafting } from './temporary.js';
import type { SyncedFile } from './written-file.js';

/** Bytes read at a time, into one of two buffers: one is written while the other is filled. */
const pieceBytes = 1 << 20;
/** The disk writes so much while the next is copied. */
const syncBytes = 32 << 20;

/** Bytes of an open file. */
export interface FileSource {
  readonly file: FileHandle;
  /** First byte. */
  readonly start: number;
  /** Bytes. */
  readonly length: number;
}

/**
 * On failure nothing is left.
 * @param sources the file of each is opened when the one before has been copied, and closed.
 * @param size bytes of all. @throws SrvError `invalid` when they have others.
 */
export async function joinFiles(folder: Drafting, sources: AsyncIterable<FileSource>, size: number): Promise<SyncedFile> {
  const path = join(folder.path, randomUUID());
  const file = await open(path, 'wx', 0o666);
  const target = new GrowingFile(file, folder.syncs);
  try {
    for await (const source of sources) {
      try {
        await target.append(source);
      } finally {
        await source.file.close();
      }
    }
    await target.finish();
    if (folder.syncs) await file.sync();
    const state = await file.stat({ bigint: true });
    if (state.size !== BigInt(size)) throw wrongSize(size, String(state.size));
    return { path, state };
  } catch (error) {
    await target.finish().catch(() => undefined);
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** A file that others are appended to. */
export class GrowingFile {
  readonly #file: FileHandle;
  readonly #syncs: boolean;
  readonly #buffers = [Buffer.allocUnsafeSlow(pieceBytes), Buffer.allocUnsafeSlow(pieceBytes)] as const;
  /** The buffer to fill; the other one may be on its way into the file. */
  #turn: 0 | 1 = 0;
  #length = 0;
  #unsynced = 0;
  #writing: Promise<void> = Promise.resolve();
  #syncing: Promise<void> | undefined;

  constructor(file: FileHandle, syncs: boolean) {
    this.#file = file;
    this.#syncs = syncs;
  }

  /** Fewer bytes where the file ends. */
  async append({ file, start, length }: FileSource): Promise<void> {
    for (let at = start; at < start + length; ) {
      const buffer = this.#buffers[this.#turn];
      const { bytesRead } = await file.read(buffer, 0, Math.min(pieceBytes, start + length - at), at);
      if (bytesRead === 0) return;
      at += bytesRead;
      await this.#writing;
      this.#write(buffer.subarray(0, bytesRead));
      this.#turn = this.#turn === 0 ? 1 : 0;
    }
  }

  /** Returns when nothing uses the file any more. @throws what a write or a sync failed with. */
  async finish(): Promise<void> {
    const outcomes = await Promise.allSettled([this.#writing, this.#syncing]);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  #write(bytes: Buffer): void {
    this.#writing = writeAll(this.#file, [bytes], bytes.length, this.#length);
    this.#length += bytes.length;
    // The next to wait sees the failure.
    this.#writing.catch(() => undefined);
    this.#unsynced += bytes.length;
    if (!this.#syncs || this.#unsynced < syncBytes || this.#syncing) return;
    this.#unsynced = 0;
    this.#sync();
  }

  /** One at a time. A failed sync is reported once only: it is kept for {@link finish}. */
  #sync(): void {
    const syncing = this.#file.datasync();
    this.#syncing = syncing;
    syncing.then(
      () => {
        this.#syncing = undefined;
      },
      () => undefined,
    );
  }
}
