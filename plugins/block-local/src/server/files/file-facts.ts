/** What threads find out about many files: their state, and their MD5 if it is not known. */
import { BatchThreads, errorOf } from '../small-files/batch-threads.js';
import type { ThreadFailure } from '../small-files/batch-threads.js';
import type { FileState } from '../small-files/small-write-messages.js';
import type { Etags } from './etags.js';

export interface FactsJob {
  readonly path: string;
  readonly wanted: 'state' | 'md5';
}

/** State or MD5, as wanted; `undefined`: there is no such file. */
export type FactsResult = FileState | string | ThreadFailure | undefined;

export interface FileFacts {
  readonly state: FileState;
  /** Empty when it was not asked for. */
  readonly etag: string;
}

/** Files that wait for a thread at a time; a thread with large files keeps the others waiting as little as that. */
const batch = 32;

export class FactFinder {
  readonly #etags: Etags;
  readonly #threads = new BatchThreads<FactsJob, FactsResult>({
    script: new URL('./file-facts-worker.js', import.meta.url),
    threads: 4,
    batch,
    pack: jobs => ({ message: { jobs } }),
    unpack: results => results,
  });

  constructor(etags: Etags) {
    this.#etags = etags;
  }

  /** In the order of the paths; `undefined` for a file that is gone. */
  async of(paths: readonly string[], wanted: { readonly etags: boolean }): Promise<readonly (FileFacts | undefined)[]> {
    return Promise.all(paths.map(path => this.#one(path, wanted.etags)));
  }

  async #one(path: string, withEtag: boolean): Promise<FileFacts | undefined> {
    const state = await this.#threads.run({ path, wanted: 'state' });
    if (state === undefined || typeof state === 'string') return undefined;
    if ('message' in state) throw errorOf(state);
    if (!withEtag) return { state, etag: '' };
    const known = this.#etags.known(state);
    if (known !== undefined) return { state, etag: known };
    const md5 = await this.#threads.run({ path, wanted: 'md5' });
    if (md5 === undefined) return undefined;
    if (typeof md5 !== 'string') throw 'message' in md5 ? errorOf(md5) : new TypeError('a thread answered another question');
    this.#etags.remember(state, md5);
    return { state, etag: md5 };
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
