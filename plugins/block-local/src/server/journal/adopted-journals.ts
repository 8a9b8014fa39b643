/** Journals of processes that ended without retiring them, under the system that still runs: what they name only has to be synced. */
import { readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@srv/kernel';
import { missing } from '../files/error-codes.js';
import { unless } from '../files/file-errors.js';
import { hashOf, segmentNames } from './journal-segments.js';
import type { Logger } from '@srv/kernel';
import type { Retirement } from './retirement.js';

export class AdoptedJournals {
  /** Resolves when they have ended, or failed to; a later start tries those again. */
  readonly done: Promise<void>;
  readonly #names: Promise<readonly ReadonlySet<number>[] | undefined>;

  constructor(folders: readonly string[], retirement: Pick<Retirement, 'names' | 'retire'>, log: Logger) {
    const segments = Promise.all(folders.map(segmentsOf)).then(all => all.flat());
    // Unknown when a segment cannot be read: then every name may be one of theirs.
    this.#names = segments.then(paths => Promise.all(paths.map(path => retirement.names(path)))).catch(() => undefined);
    const retired = this.#names.then(async () => {
      for (const path of await segments) await retirement.retire(path);
      for (const folder of folders) await removeEmpty(folder);
    });
    this.done = retired.catch((error: unknown) =>
      log.warn({ error: messageOf(error) }, 'a journal that an ended process left could not be retired; the next start tries again'),
    );
  }

  /** Resolves when none of them holds the name any more. */
  async release(name: string): Promise<void> {
    const names = await this.#names;
    const hash = hashOf(name);
    if (!names || names.some(known => known.has(hash))) await this.done;
  }
}

/** Its owner may run after all, on another machine, and have begun a segment meanwhile. */
async function removeEmpty(folder: string): Promise<void> {
  await unless(rmdir(folder), 'ENOENT', 'ENOTEMPTY', 'EEXIST');
}

async function segmentsOf(folder: string): Promise<string[]> {
  return segmentNames((await unless(readdir(folder), ...missing)) ?? []).map(name => join(folder, name));
}
