/** System tables as Parquet files, for the next queries of the same commit. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@srv/kernel';
import { makeOwnFolder, removeOwnFolder } from '@srv/lib-records/owned-folder';
import { LRUCache } from 'lru-cache';
import { folderPrefix } from '../engine/job.js';
import type { Logger } from '@srv/kernel';

export interface TableCacheOptions {
  /** Folder that holds that of the cache. */
  readonly folder: string;
  /** @bound bytes of kept tables; 0: none are kept */
  readonly limit: number;
  readonly log: Pick<Logger, 'warn'>;
}

interface Kept {
  readonly file: string;
  /** Bytes. */
  readonly size: number;
}

export class TableCache {
  readonly #options: TableCacheOptions;
  readonly #files: LRUCache<string, Kept> | undefined;
  #folder: Promise<string> | undefined;

  constructor(options: TableCacheOptions) {
    this.#options = options;
    if (options.limit > 0)
      this.#files = new LRUCache({
        maxSize: options.limit,
        sizeCalculation: ({ size }) => size + 1000,
        dispose: ({ file }) => void rm(file, { force: true }).catch(() => undefined),
      });
  }

  get isUsed(): boolean {
    return this.#files !== undefined;
  }

  /** Bytes of what is kept. */
  get bytes(): number {
    return this.#files?.calculatedSize ?? 0;
  }

  /** Copies a table that is kept: queries get no file that others see. @returns its bytes, `undefined` where it is not kept. */
  async take(key: string, to: string): Promise<number | undefined> {
    const known = this.#files?.get(key);
    if (!known) return undefined;
    try {
      await copyFile(known.file, to);
      return known.size;
    } catch {
      // It has just been evicted.
      return undefined;
    }
  }

  /** What cannot be kept is made again by the next query, and logged. @param from a file that may not have been made. */
  async keep(key: string, from: string): Promise<void> {
    if (!this.#files || !existsSync(from)) return;
    try {
      const kept = await this.#copyOf(from);
      this.#files.set(key, kept);
      // A table that is larger than the cache is not in it.
      if (this.#files.peek(key) !== kept) await rm(kept.file, { force: true });
    } catch (error) {
      const { folder, log } = this.#options;
      log.warn({ folder, error: messageOf(error) }, 'cannot keep a system table for the next queries (sql_engine.dir)');
    }
  }

  async #copyOf(from: string): Promise<Kept> {
    this.#folder ??= makeOwnFolder(this.#options.folder, folderPrefix, 'tables').catch((error: unknown) => {
      this.#folder = undefined;
      throw error;
    });
    const folder = await this.#folder;
    // Another machine removes what it has not seen used for a day.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, randomUUID());
    try {
      await copyFile(from, file);
      return { file, size: (await stat(file)).size };
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    }
  }

  async close(): Promise<void> {
    const folder = await this.#folder?.catch(() => undefined);
    if (folder !== undefined) await removeOwnFolder(folder, this.#options.log);
  }
}
