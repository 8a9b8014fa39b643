/**
 * The object that an upload will become, while its parts arrive: a part is written where it belongs in the object, so that
 * nothing is copied when the upload is completed.
 *
 * In the folder of the upload lie `draft`, the growing object; `stride`, the bytes of each part but the last, which the first
 * part decides; `00001.claim`, made before a part is written anywhere; and `00001.json`, what is known of the part once it
 * is on the disk. A place is claimed once: a part that is sent again, or is longer, gets a file of its own. To complete the
 * upload the draft becomes `sealed`: nothing can open it any more to write to it, and who did before has left a claim.
 */
import { randomUUID } from 'node:crypto';
import { link, open, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unknownUpload } from '@srv/lib-stores/block';
import { missing } from './files/error-codes.js';
import { unless } from './files/file-errors.js';
import { writeBody } from './files/written-file.js';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { PutOptions } from '@srv/lib-stores/block';
import type { DurableFolders } from './files/durable-folders.js';
import type { Drafting } from './files/temporary.js';
import type { SyncedFile } from './files/written-file.js';

/** A part that lies in the draft. */
export interface DraftPart {
  readonly partNumber: number;
  /** First byte of the part in the draft. */
  readonly start: number;
  readonly size: number;
  /** MD5 in hex. */
  readonly etag: string;
  readonly lastModified: Date;
}

interface DraftsOptions {
  /** Folder that holds the folders of uploads. */
  readonly folder: string;
  /** Folder for files that have no name yet. */
  readonly temporary: Drafting;
  readonly folders: DurableFolders;
}

/** What `00001.json` holds. */
interface PartRecord {
  readonly start: number;
  readonly size: number;
  readonly etag: string;
}

const names = { draft: 'draft', sealed: 'sealed', stride: 'stride' } as const;
const partDigits = 5;
/** Bytes; no object of the protocol is larger, and file systems have limits of their own. */
const longestDraft = 5 * 2 ** 40;
/** @bound uploads whose stride is remembered */
const maxStrides = 1000;
/** Answers of file systems that have no hard links, or no more of them. */
const withoutLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'];

export function partName(partNumber: number): string {
  return String(partNumber).padStart(partDigits, '0');
}

const recordOf = (partNumber: number): string => `${partName(partNumber)}.json`;
const claimOf = (partNumber: number): string => `${partName(partNumber)}.claim`;

/** The number of a part in the draft, from the name of its record. */
export function draftNumber(name: string): number | undefined {
  return /^\d{5}\.json$/.test(name) ? Number(name.slice(0, partDigits)) : undefined;
}

export class Drafts {
  readonly #options: DraftsOptions;
  readonly #strides = new Map<string, number>();

  constructor(options: DraftsOptions) {
    this.#options = options;
  }

  /** Prepares the folder of an upload that begins. */
  async begin(folder: string): Promise<void> {
    await writeFile(join(folder, names.draft), '', { flush: this.#options.temporary.syncs });
  }

  /**
   * Writes a part to its place.
   * @param address that the upload will become.
   * @returns `undefined`, and `body` is untouched, for a part that needs a file of its own.
   * @throws SrvError `not_found` when the upload ended meanwhile, and as {@link writeBody}.
   */
  async write(
    id: string,
    address: string,
    partNumber: number,
    body: Readable | Buffer,
    options: PutOptions,
  ): Promise<DraftPart | undefined> {
    // Also for a part that gets a file of its own: what is sent later must not be taken for older than it.
    if (!(await this.#claim(id, partNumber))) return undefined;
    const { size } = options;
    if (size === undefined || size === 0) return undefined;
    const stride = this.#strides.get(id) ?? (await this.#decideStride(id, size));
    if (stride === undefined || size > stride || partNumber * stride > longestDraft) return undefined;
    // After the claim: who seals the draft either sees the claim, or has moved the draft away.
    const file = await unless(open(this.#path(id, names.draft), 'r+'), ...missing);
    if (!file) return undefined;
    const start = (partNumber - 1) * stride;
    const etag = await this.#writeAt(file, start, body, options).catch(async (error: unknown) => {
      // Nothing writes there any more, and no record says that something lies there: the part may be sent again.
      await rm(this.#path(id, claimOf(partNumber)), { force: true });
      throw error;
    });
    const record = { start, size, etag };
    if (!(await unless(this.#keep(id, partNumber, record), ...missing))) throw unknownUpload(id, address);
    return { partNumber, ...record, lastModified: new Date() };
  }

  /** What the draft has of a part. */
  async part(id: string, partNumber: number): Promise<DraftPart | undefined> {
    const path = this.#path(id, recordOf(partNumber));
    const text = await unless(readFile(path, 'utf8'), ...missing);
    if (text === undefined) return undefined;
    const { mtime } = await stat(path);
    return { partNumber, ...(JSON.parse(text) as PartRecord), lastModified: mtime };
  }

  /** The file that holds parts of the draft, whether it is sealed or not; `undefined` when the upload ended meanwhile. */
  async source(id: string): Promise<string | undefined> {
    for (const name of [names.sealed, names.draft, names.sealed]) {
      const path = this.#path(id, name);
      if (await unless(stat(path), ...missing)) return path;
    }
    return undefined;
  }

  /**
   * The object, if the draft is what these parts make in this order.
   * @param parts in ascending number. @returns a link to the draft in the folder for files without a name; `undefined` when the parts have to be copied.
   */
  async finished(id: string, parts: readonly DraftPart[]): Promise<SyncedFile | undefined> {
    if (!areJoined(parts)) return undefined;
    await unless(rename(this.#path(id, names.draft), this.#path(id, names.sealed)), ...missing);
    const found = await unless(readdir(join(this.#options.folder, id)), ...missing);
    if (!found || !areAll(found, parts)) return undefined;
    const path = join(this.#options.temporary.path, randomUUID());
    const linked = link(this.#path(id, names.sealed), path).then(() => true);
    if (!(await unless(linked, ...missing, ...withoutLinks))) return undefined;
    const file = await open(path, 'r+');
    try {
      const now = new Date();
      await file.utimes(now, now);
      if (this.#options.temporary.syncs) await file.sync();
      const state = await file.stat({ bigint: true });
      const size = parts.reduce((sum, part) => sum + part.size, 0);
      if (state.size === BigInt(size)) return { path, state };
      // A part that broke off has left bytes beyond the end.
      await rm(path);
      return undefined;
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  }

  /** @returns the MD5 in hex. The file is closed in any case. */
  async #writeAt(file: FileHandle, start: number, body: Readable | Buffer, options: PutOptions): Promise<string> {
    try {
      const { md5 } = await writeBody({ file, position: start, syncs: this.#options.temporary.syncs }, body, options);
      return md5;
    } finally {
      await file.close();
    }
  }

  #path(id: string, name: string): string {
    return join(this.#options.folder, id, name);
  }

  /** The first part decides, of all servers. */
  async #decideStride(id: string, size: number): Promise<number | undefined> {
    const stride = (await this.#stride(id)) ?? (await this.#propose(id, size)) ?? (await this.#stride(id));
    if (stride === undefined) return undefined;
    if (this.#strides.size >= maxStrides) this.#strides.clear();
    this.#strides.set(id, stride);
    return stride;
  }

  async #stride(id: string): Promise<number | undefined> {
    const text = await unless(readFile(this.#path(id, names.stride), 'utf8'), ...missing);
    return text === undefined ? undefined : Number(text);
  }

  /** @returns `undefined` when another proposal was faster, or there can be none. */
  async #propose(id: string, size: number): Promise<number | undefined> {
    const path = join(this.#options.temporary.path, randomUUID());
    await writeFile(path, String(size), { flush: this.#options.temporary.syncs });
    try {
      await link(path, this.#path(id, names.stride));
      return size;
    } catch (error) {
      await unless(Promise.reject(error), 'EEXIST', ...missing, ...withoutLinks);
      return undefined;
    } finally {
      await rm(path, { force: true });
    }
  }

  /** @returns whether the place was free. */
  async #claim(id: string, partNumber: number): Promise<boolean> {
    const file = await unless(open(this.#path(id, claimOf(partNumber)), 'wx'), 'EEXIST', ...missing);
    await file?.close();
    return file !== undefined;
  }

  async #keep(id: string, partNumber: number, record: PartRecord): Promise<true> {
    const { folder, temporary, folders } = this.#options;
    const path = join(temporary.path, randomUUID());
    await writeFile(path, JSON.stringify(record), { flush: temporary.syncs });
    try {
      await rename(path, this.#path(id, recordOf(partNumber)));
      await folders.sync(join(folder, id));
      return true;
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }
}

/** Whether each part begins where the one before ends, and the first at the beginning. */
function areJoined(parts: readonly DraftPart[]): boolean {
  let end = 0;
  for (const { start, size } of parts) {
    if (start !== end) return false;
    end += size;
  }
  return true;
}

/** Whether nothing else was written to the draft, or still is. */
function areAll(found: readonly string[], parts: readonly DraftPart[]): boolean {
  const listed = new Set(parts.map(({ partNumber }) => claimOf(partNumber)));
  return found.filter(name => name.endsWith('.claim')).every(name => listed.has(name));
}
