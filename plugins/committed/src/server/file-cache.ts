/** Copies of metadata files on local disk: one download per file however many ask, eviction by size, survival of restarts. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { LRUCache } from 'lru-cache';
import { SrvError, isSrvError } from '@srv/kernel';
import { splitScheme } from '@srv/lib-block-store';
import type { Logger } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-block-store';
import { isTableId } from '../format/index.js';
import { at } from './metadata-folders.js';
import type { CacheMeter } from './cache-meter.js';
import type { MetadataFolders } from './metadata-folders.js';
import type { FileKind } from './cache-meter.js';

interface FileCacheOptions {
  readonly kind: FileKind;
  /** Folder of both caches. */
  readonly folder: string;
  /** Bytes. */
  readonly capacity: number;
  readonly folders: MetadataFolders;
  readonly block: BlockStore;
  readonly log: Logger;
  readonly meter: CacheMeter;
}

const workspace = 'workspace';
/** Bytes read at once for an upload. */
const uploadChunk = 1 << 20;

export class FileCache {
  readonly #options: FileCacheOptions;
  readonly #files: LRUCache<string, number>;
  readonly #downloads = new Map<string, Promise<string>>();
  /** Unfinished files of this process; its name shows whether the process still runs. */
  readonly workspace: string;

  constructor(options: FileCacheOptions) {
    this.#options = options;
    this.workspace = join(options.folder, options.kind, workspace, `${process.pid}-${randomUUID()}`);
    this.#files = new LRUCache<string, number>({
      maxSize: Math.max(1, options.capacity),
      sizeCalculation: size => Math.max(1, size),
      dispose: (size, file, reason) => {
        if (reason === 'evict') options.meter.eviction.observe(size);
        if (reason !== 'set') void this.#remove(file);
      },
    });
  }

  /** Makes the folders, removes what dead processes left, and takes stock of the files of earlier runs. */
  async start(): Promise<void> {
    const base = join(this.#options.folder, this.#options.kind);
    try {
      await mkdir(this.workspace, { recursive: true });
    } catch (error) {
      throw new SrvError(
        'config',
        `committed.local_cache.dir: cannot write to ${this.#options.folder}; choose another folder or grant access`,
        { cause: error },
      );
    }
    for (const name of await readdir(join(base, workspace))) {
      const own = join(base, workspace, name) === this.workspace;
      if (!own && !isRunning(Number(name.split('-')[0]))) await rm(join(base, workspace, name), { recursive: true, force: true });
    }
    await this.#takeStock(base);
  }

  async stop(): Promise<void> {
    await rm(this.workspace, { recursive: true, force: true });
  }

  /** Path of a local copy, downloaded if need be. It may vanish at any time: open it at once, ask again when it is gone. */
  async path(namespace: string, id: string): Promise<string> {
    const target = this.#target(namespace, id);
    const { meter } = this.#options;
    if (this.#files.get(target) !== undefined) {
      meter.hit.add();
      return target;
    }
    meter.miss.add();
    const running = this.#downloads.get(target);
    if (running) return running;
    const download = this.#download(namespace, id, target).finally(() => this.#downloads.delete(target));
    this.#downloads.set(target, download);
    return download;
  }

  /** Uploads a finished file from the workspace, then keeps it as a local copy. */
  async store(namespace: string, id: string, file: string): Promise<void> {
    const target = this.#target(namespace, id);
    const { size } = await stat(file);
    const { block, folders } = this.#options;
    try {
      const pointer = at(namespace, await folders.forWriting(namespace), id);
      const known = this.#files.has(target) && (await block.exists(pointer));
      if (known) this.#options.meter.exists.add();
      else if (block.putFile) await block.putFile(pointer, file, { size });
      else await block.put(pointer, createReadStream(file, { highWaterMark: uploadChunk }), { size });
      await this.#adopt(file, target, size);
    } catch (error) {
      this.#options.meter.failedUpload.add();
      throw error;
    } finally {
      await rm(file, { force: true });
    }
  }

  /** Drops a copy that turned out to be damaged or missing. */
  async discard(namespace: string, id: string): Promise<void> {
    const target = this.#target(namespace, id);
    this.#files.delete(target);
    await this.#remove(target);
  }

  async #download(namespace: string, id: string, target: string): Promise<string> {
    const temporary = join(this.workspace, `${randomUUID()}.tmp`);
    try {
      await pipeline(await this.#options.folders.open(namespace, id), createWriteStream(temporary));
      const { size } = await stat(temporary);
      this.#options.meter.download.observe(size);
      await this.#adopt(temporary, target, size);
      return target;
    } catch (error) {
      this.#options.meter.failedDownload.add();
      await rm(temporary, { force: true });
      if (isSrvError(error, 'no_data'))
        throw new SrvError('no_data', `metadata file ${id} is missing in ${namespace}, folder ${this.#options.folders.names}`, {
          cause: error,
        });
      throw error;
    }
  }

  async #adopt(file: string, target: string, size: number): Promise<void> {
    await mkdir(dirname(target), { recursive: true });
    await rename(file, target);
    this.#files.set(target, size);
    // A file larger than the whole cache is used once: the next eviction finds it gone, readers keep their handle.
    if (!this.#files.has(target)) setTimeout(() => void this.#remove(target), 60_000).unref();
  }

  async #remove(file: string): Promise<void> {
    if (this.#files.has(file)) return;
    await rm(file, { force: true }).catch((error: unknown) => {
      this.#options.meter.failedRemoval.add();
      this.#options.log.warn({ file, error: String(error) }, 'cannot remove a cached file');
    });
  }

  #target(namespace: string, id: string): string {
    if (!isTableId(id))
      throw new SrvError('invalid', `${JSON.stringify(id)} is not a range or metarange id: 64 hexadecimal characters are expected`);
    return join(this.#options.folder, this.#options.kind, namespaceFolder(namespace), id);
  }

  async #takeStock(base: string): Promise<void> {
    const found: { file: string; size: number; time: number }[] = [];
    for (const entry of await readdir(base, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath ?? entry.path, entry.name);
      if (!entry.isFile() || file.startsWith(join(base, workspace))) continue;
      if (!isTableId(entry.name)) {
        await rm(file, { force: true });
        continue;
      }
      const { size, atimeMs } = await stat(file);
      found.push({ file, size, time: atimeMs });
    }
    found.sort((a, b) => a.time - b.time);
    for (const { file, size } of found) this.#files.set(file, size);
  }
}

/** Namespace as a folder: scheme and odd segments spelt so that no two namespaces share one and none leaves the cache. */
function namespaceFolder(namespace: string): string {
  const { scheme, rest } = splitScheme(namespace) ?? { scheme: 'none', rest: namespace };
  return [scheme, ...rest.split('/')].map(segment => `_${encodeURIComponent(segment)}`).join('/');
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
