/** Writes the files of the journal again. */
import { randomUUID } from 'node:crypto';
import { lstat, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isSrvError } from '@srv/kernel';
import { cannotHold, codeOf, missing } from '../files/error-codes.js';
import { unless } from '../files/file-errors.js';
import { readPlainFile } from '../files/open-flags.js';
import type { DurableFolders } from '../files/durable-folders.js';
import type { Roots } from '../files/roots.js';
import type { PutRecord } from './journal-format.js';

export interface Restorer {
  readonly roots: Roots;
  readonly folders: DurableFolders;
  /** Folder for unfinished files. */
  readonly temporary: string;
}

/**
 * What exists where a record says its file is: the file as it was written, one that was written later, a `damaged` file that
 * only the record can have been, or nothing. `foreign` is what no record may touch.
 */
type Found = 'same' | 'newer' | 'damaged' | 'missing' | 'foreign';

/** Looks at the file of a record; when it is as it was written, it is on the disk when this resolves. */
export async function inspect({ name, mtimeNs, content }: PutRecord, { roots }: Restorer): Promise<Found> {
  try {
    const path = await roots.realTarget(join(roots.base.path, name));
    const file = await open(path, readPlainFile);
    try {
      const stats = await file.stat({ bigint: true });
      if (!stats.isFile()) return 'foreign';
      if (stats.size === BigInt(content.length) && (await file.readFile()).equals(content)) {
        await file.sync();
        return 'same';
      }
      return stats.mtimeNs > mtimeNs ? 'newer' : 'damaged';
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isSrvError(error, 'forbidden') || codeOf(error) === 'ELOOP') return 'foreign';
    if (missing.some(code => code === codeOf(error))) return 'missing';
    throw error;
  }
}

/** Rewrites the file of a record, even if its content is damaged, unless it was removed or written later. */
export async function rewrite(record: PutRecord, restorer: Restorer): Promise<void> {
  const { roots } = restorer;
  const found = roots.realTarget(join(roots.base.path, record.name)).then(path => lstat(path, { bigint: true }));
  const stats = await unless(found, ...missing);
  if (stats?.isFile() && stats.mtimeNs <= record.mtimeNs) await restore(record, restorer);
}

/** Writes the file of a record, durably and with its time. @returns whether nothing is in the way. */
export async function restore({ name, mtimeNs, content }: PutRecord, { roots, folders, temporary }: Restorer): Promise<boolean> {
  const path = join(temporary, randomUUID());
  // Not later than it was, though a number of seconds is less exact: records of the same name go by this time.
  const seconds = Number(mtimeNs / 1000n - 1n) / 1e6;
  try {
    const file = await open(path, 'wx', 0o666);
    try {
      await file.writeFile(content);
      await file.utimes(seconds, seconds);
      await file.sync();
    } finally {
      await file.close();
    }
    const placed = folders.place(path, join(roots.base.path, name)).then(() => true);
    return (await unless(placed, ...cannotHold)) ?? false;
  } catch (error) {
    if (isSrvError(error, 'forbidden')) return false;
    throw error;
  } finally {
    await rm(path, { force: true });
  }
}
