/** Opens the folder of the store; what can go wrong with a folder is told in one line that names it. */
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SrvError, messageOf } from '@srv/kernel';
import { Level } from 'level';
import { LocalKvStore } from './store.js';
import type { KvStore } from '@srv/kernel';
import type { Database } from './group-commit.js';
import type { LocalKvStoreOptions } from './store.js';

export interface OpenOptions extends LocalKvStoreOptions {
  /** Folder, created when missing. */
  readonly path: string;
}

/**
 * Opens or creates the store.
 * @throws SrvError `unavailable` when another process uses the folder, `config` when it cannot be written, `corrupt`
 * when its files are damaged.
 */
export async function openLocalKvStore({ path, ...options }: OpenOptions): Promise<KvStore> {
  const folder = resolve(path);
  let db: Database;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    db = new Level<Buffer, Buffer>(folder, { keyEncoding: 'buffer', valueEncoding: 'buffer' });
    await db.open();
  } catch (error) {
    throw explain(folder, error);
  }
  return new LocalKvStore(db, options);
}

function explain(folder: string, error: unknown): SrvError {
  // LevelDB's own reason is the cause of "database failed to open".
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'LEVEL_LOCKED') {
    return new SrvError(
      'unavailable',
      `database.local.path: ${folder} is in use by another process; stop that process or choose another folder`,
      { cause },
    );
  }
  if (code === 'LEVEL_CORRUPTION') {
    return new SrvError(
      'corrupt',
      `database.local.path: ${folder} holds damaged files (${messageOf(cause)}); restore the folder from a backup`,
      { cause },
    );
  }
  return new SrvError(
    'config',
    `database.local.path: ${folder} cannot be written (${messageOf(cause)}); make it writable for this user or choose another folder`,
    { cause },
  );
}
