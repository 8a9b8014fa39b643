/** Small files are sent many at a time: a request for each costs more than their bytes. */

import { isSrvError } from '@srv/kernel';
import { isAnswerError } from '@srv/lib-commands';
import { batchLimits, encodeBatch } from '../operations/objects/batch.js';
import { checkStored, md5 } from './checksum.js';
import { smallFile } from './small-files.js';
import type { BatchedObject } from '../operations/objects/batch.js';
import type { Source } from './sources.js';
import type { UploadSettings } from './upload-settings.js';

/** Files of one request. The server stores the first ones while the next ones are read. */
const groupFiles = 50;
/** Bytes of their contents; leaves room for what describes them. */
const groupBytes = batchLimits.bytes / 2;

/** Puts small items that follow one another into groups; every large one is a group of its own. */
export async function* inGroups<T extends { readonly size: number }>(items: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  let group: T[] = [];
  let bytes = 0;
  for await (const item of items) {
    if (item.size > smallFile) {
      yield [item];
      continue;
    }
    if (group.length === groupFiles || bytes + item.size > groupBytes) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(item);
    bytes += item.size;
  }
  if (group.length > 0) yield group;
}

/** A file in memory, and the object it is to be. */
export interface SmallUpload {
  readonly source: Source & { readonly bytes: Buffer };
  readonly path: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Uploads of small files to one branch, as long as the server takes several at a time. */
export class SmallUploads {
  readonly #branch: { readonly repository: string; readonly branch: string };
  readonly #settings: UploadSettings;
  #isKnown = true;

  constructor(branch: { readonly repository: string; readonly branch: string }, settings: UploadSettings) {
    this.#branch = branch;
    this.#settings = settings;
  }

  /** @returns those that have to be uploaded one by one: the server refused them, or knows no batches. */
  async send(uploads: readonly SmallUpload[]): Promise<readonly SmallUpload[]> {
    const { api, preSign, progress, contentType, signal } = this.#settings;
    if (!this.#isKnown || preSign.enabled || uploads.length < 2) return uploads;
    const objects = uploads.map(
      ({ source: { bytes }, path, metadata }): BatchedObject => ({ path, bytes, metadata, contentType: contentType || undefined }),
    );
    const body = encodeBatch(objects);
    if (body.length > batchLimits.bytes) return uploads;
    let stored: ReadonlyMap<string, string | undefined>;
    try {
      const { results } = await api.uploadObjects(
        { ...this.#branch, body },
        { signal, headers: { 'content-length': String(body.length) } },
      );
      stored = new Map(results.map(({ path, checksum }) => [path, checksum]));
    } catch (error) {
      if (!isAnswerError(error) && !isSrvError(error, 'unsupported')) throw error;
      this.#isKnown = false;
      return uploads;
    }
    return uploads.filter(({ source: { name, bytes }, path }) => {
      const checksum = stored.get(path);
      if (checksum === undefined) return true;
      checkStored(name, md5(bytes), checksum);
      progress.advance(bytes.length);
      progress.fileDone();
      return false;
    });
  }
}
