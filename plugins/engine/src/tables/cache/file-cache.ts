/** Copies of metadata files on local disk: one download per file however many ask, eviction by size, survival of restarts. */

import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SrvError, isSrvError, makeFolder } from '@srv/kernel';
import { isLeftOver, keepOwnFolder, ownFolderName } from '@srv/lib-records/owned-folder';
import { splitScheme } from '@srv/lib-stores/block';
import { isTableId } from '../format/index.js';
import { at } from '../metadata-folders.js';
import { CachedFiles } from './cached-files.js';
import type { Logger } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { MetadataFolders } from '../metadata-folders.js';
import type { CacheMeter, FileKind } from './cache-meter.js';

interface FileCacheOptions {
  readonly kind: FileKind;
  /** Folder of both caches. */
  readonly folder: string;
  readonly capacityBytes: number;
  readonly folders: MetadataFolders;
  readonly block: BlockStore;
  readonly log: Logger;
  readonly meter: CacheMeter;
}

const workspace = 'workspace';
/** Keys and metadata of every repository are readable in the files. */
const privateMode = 0o700;
/** Bytes read at once for an upload. */
const uploadChunk = 1 << 20;

export class FileCache {
  readonly #options: FileCacheOptions;
  readonly #files: CachedFiles;
  readonly #downloads = new Map<string, Promise<string>>();
  /** Unfinished files of this process; its name shows whether the process still runs. Another program may have removed it. */
  readonly workspace: string;
  #endKeeping: (() => Promise<void>) | undefined;

  constructor(options: FileCacheOptions) {
    this.#options = options;
    const folder = join(options.folder, options.kind);
    this.workspace = join(folder, workspace, ownFolderName());
    const { capacityBytes, log, meter } = options;
    this.#files = new CachedFiles({ folder, workspace: join(folder, workspace), capacityBytes, log, meter });
  }

  /** Makes the folders, removes what dead processes left, and takes stock of the files of earlier runs. */
  async start(): Promise<void> {
    const base = join(this.#options.folder, this.#options.kind);
    try {
      await makeFolder(this.workspace, privateMode);
      // The folder of an earlier version may be open to everyone.
      await chmod(base, privateMode);
    } catch (error) {
      throw new SrvError(
        'config',
        `committed.local_cache.dir: cannot write to ${this.#options.folder}; choose another folder or grant access`,
        { cause: error },
      );
    }
    this.#endKeeping = keepOwnFolder(this.workspace);
    const parent = join(base, workspace);
    for (const name of await readdir(parent))
      if (await isLeftOver(parent, name)) await rm(join(parent, name), { recursive: true, force: true });
    await this.#files.takeStock();
  }

  async stop(): Promise<void> {
    await this.#files.stop();
    await this.#endKeeping?.();
    await rm(this.workspace, { recursive: true, force: true });
  }

  /** Path of a local copy, downloaded if need be. It may vanish at any time: open it at once, ask again when it is gone. */
  async path(namespace: string, id: string): Promise<string> {
    const target = this.#target(namespace, id);
    const { meter } = this.#options;
    if (this.#files.has(target)) {
      meter.hit.add();
      return target;
    }
    const running = this.#downloads.get(target);
    if (running) {
      meter.miss.add();
      return running;
    }
    const download = this.#fetch(namespace, id, target).finally(() => this.#downloads.delete(target));
    this.#downloads.set(target, download);
    return download;
  }

  /**
   * Uploads a finished file from the workspace, then keeps it as a local copy.
   * @param signal ends the upload: then nothing refers to what the store may have.
   */
  async store(namespace: string, id: string, file: string, signal?: AbortSignal): Promise<void> {
    const target = this.#target(namespace, id);
    const { size } = await stat(file);
    const { block, folders } = this.#options;
    try {
      const pointer = at(namespace, await folders.forWriting(namespace), id);
      const known = this.#files.has(target) && (await block.exists(pointer));
      if (known) this.#options.meter.exists.add();
      else if (block.putFile) await block.putFile(pointer, file, { size });
      else
        await block.put(
          pointer,
          createReadStream(file, { highWaterMark: uploadChunk }).on('error', () => {}),
          { size, signal },
        );
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
    await this.#files.delete(target);
  }

  async #fetch(namespace: string, id: string, target: string): Promise<string> {
    const { meter } = this.#options;
    if (await this.#files.find(target)) {
      meter.hit.add();
      return target;
    }
    meter.miss.add();
    return this.#download(namespace, id, target);
  }

  async #download(namespace: string, id: string, target: string): Promise<string> {
    const temporary = join(this.workspace, `${randomUUID()}.tmp`);
    try {
      await mkdir(this.workspace, { recursive: true, mode: privateMode });
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
    this.#files.add(target, size);
  }

  #target(namespace: string, id: string): string {
    if (!isTableId(id))
      throw new SrvError(
        'corrupt',
        `a record names the metadata file ${JSON.stringify(id)}, which is not a range or metarange id: move the branch to an earlier commit (branch reset --hard)`,
      );
    return join(this.#options.folder, this.#options.kind, namespaceFolder(namespace), id);
  }
}

/** Namespace as a folder: scheme and odd segments spelt so that no two namespaces share one and none leaves the cache. */
function namespaceFolder(namespace: string): string {
  const { scheme, rest } = splitScheme(namespace) ?? { scheme: 'none', rest: namespace };
  return [scheme, ...rest.split('/')].map(segment => `_${encodeURIComponent(segment)}`).join('/');
}
