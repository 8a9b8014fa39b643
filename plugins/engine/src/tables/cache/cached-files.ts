/** The files of one cache folder, kept within its space: the least recently used are deleted, files of other processes count. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { LRUCache } from 'lru-cache';
import { isTableId } from '../format/index.js';
import type { Logger } from '@srv/kernel';
import type { CacheMeter } from './cache-meter.js';

interface CachedFilesOptions {
  readonly folder: string;
  /** Folder inside `folder` that is not part of the cache. */
  readonly workspace: string;
  /** @bound bytes of the files in the folder, apart from the oversized ones */
  readonly capacityBytes: number;
  readonly log: Logger;
  readonly meter: CacheMeter;
}

/** @bound files larger than the whole cache, kept for their first readers */
const maxOversizedFiles = 4;
/** How long they are kept. */
const oversizedKeptMs = 60_000;
/** Part of the space that this process fills before it counts what other processes have added: what they exceed the space by. */
const countedParts = 16;

export class CachedFiles {
  readonly #options: CachedFilesOptions;
  readonly #sizes: LRUCache<string, number>;
  readonly #oversized: LRUCache<string, true>;
  #addedBytes = 0;
  #stockTaking: Promise<void> | undefined;

  constructor(options: CachedFilesOptions) {
    this.#options = options;
    this.#sizes = new LRUCache<string, number>({
      maxSize: Math.max(1, options.capacityBytes),
      sizeCalculation: size => Math.max(1, size),
      // Not `dispose`, which runs while the file is still listed and would therefore be kept.
      disposeAfter: (size, file, reason) => {
        if (reason === 'evict') options.meter.eviction.observe(size);
        if (reason !== 'set') void this.#remove(file);
      },
    });
    this.#oversized = new LRUCache<string, true>({
      max: maxOversizedFiles,
      ttl: oversizedKeptMs,
      ttlAutopurge: true,
      disposeAfter: (_, file, reason) => {
        if (reason !== 'set') void this.#remove(file);
      },
    });
  }

  /** Whether the file is there, as far as this process knows; counts as a use. */
  has(file: string): boolean {
    return this.#sizes.get(file) !== undefined || this.#oversized.has(file);
  }

  /** Looks on the disk for a file that another process has put there. */
  async find(file: string): Promise<boolean> {
    const size = await stat(file).then(
      found => found.size,
      () => undefined,
    );
    if (size !== undefined) this.add(file, size);
    return size !== undefined;
  }

  /** Lists a file that has just been put in place, and makes room for it. */
  add(file: string, size: number): void {
    this.#sizes.set(file, size);
    if (!this.#sizes.has(file)) this.#oversized.set(file, true);
    this.#addedBytes += size;
    if (this.#addedBytes * countedParts < this.#options.capacityBytes) return;
    this.#addedBytes = 0;
    this.#stockTaking ??= this.takeStock()
      .catch((error: unknown) => this.#options.log.warn({ error: String(error) }, 'cannot list the cached files'))
      .finally(() => (this.#stockTaking = undefined));
  }

  async delete(file: string): Promise<void> {
    this.#sizes.delete(file);
    this.#oversized.delete(file);
    await this.#remove(file);
  }

  /** Lists the files that earlier runs and other processes have left, oldest first, and deletes what exceeds the space. */
  async takeStock(): Promise<void> {
    const { folder, workspace } = this.#options;
    const unlisted: { file: string; size: number; time: number }[] = [];
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath ?? entry.path, entry.name);
      if (!entry.isFile() || file.startsWith(workspace + sep) || this.#sizes.has(file) || this.#oversized.has(file)) continue;
      if (!isTableId(entry.name)) {
        await rm(file, { force: true });
        continue;
      }
      // Another process may have deleted it meanwhile.
      const found = await stat(file).catch(() => undefined);
      if (found) unlisted.push({ file, size: found.size, time: found.atimeMs });
    }
    unlisted.sort((a, b) => a.time - b.time);
    for (const { file, size } of unlisted) {
      this.#sizes.set(file, size);
      if (!this.#sizes.has(file)) this.#oversized.set(file, true);
    }
  }

  /** Deletes files that are too large to be kept. */
  async stop(): Promise<void> {
    await this.#stockTaking;
    const oversized = [...this.#oversized.keys()];
    this.#oversized.clear();
    await Promise.all(oversized.map(file => this.#remove(file)));
  }

  async #remove(file: string): Promise<void> {
    // Listed again since: it has been stored again.
    if (this.#sizes.has(file) || this.#oversized.has(file)) return;
    await rm(file, { force: true }).catch((error: unknown) => {
      this.#options.meter.failedRemoval.add();
      this.#options.log.warn({ file, error: String(error) }, 'cannot remove a cached file');
    });
  }
}
