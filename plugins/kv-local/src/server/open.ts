/** Opens the folder of the store; errors name the folder and say what to do. */
import { copyFile, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SrvError, messageOf, silentLogger } from '@srv/kernel';
import { Level } from 'level';
import { describeLog, findDamage } from './damage.js';
import { databaseFiles } from './database-files.js';
import { LocalKvStore } from './store.js';
import type { KvStore, Logger } from '@srv/kernel';
import type { Damage } from './damage.js';
import type { Database } from './group-commit.js';
import type { LocalKvStoreOptions } from './store.js';

export interface OpenOptions extends LocalKvStoreOptions {
  /** Folder, created when missing. */
  readonly path: string;
  /** Refuses to open a store that lost records, instead of reporting the loss. Default: false. */
  readonly strict?: boolean;
  /** Receives reports of damage. */
  readonly reports?: Logger;
}

/** Where logs that lost records are kept; LevelDB deletes a log once it has read it. */
const lostFolder = 'lost';

/**
 * Opens or creates the store.
 * @throws SrvError `unavailable` when another process uses the folder, `config` when it cannot be written, `corrupt`
 * when its files are damaged.
 */
export async function openLocalKvStore({ path, strict = false, reports = silentLogger, ...options }: OpenOptions): Promise<KvStore> {
  const folder = resolve(path);
  let db: Database;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await judge(folder, await findDamage(await databaseFiles(folder)), strict, reports);
    db = new Level<Buffer, Buffer>(folder, { keyEncoding: 'buffer', valueEncoding: 'buffer' });
    await db.open();
  } catch (error) {
    throw explain(folder, error);
  }
  return new LocalKvStore(db, options);
}

async function judge(folder: string, { fatal, logs, unfinished }: Damage, strict: boolean, reports: Logger): Promise<void> {
  if (fatal !== undefined) throw damaged(folder, fatal);
  const lost = logs.map(describeLog).join('; ');
  if (logs.length > 0 && strict)
    throw new SrvError(
      'corrupt',
      `database.local.path: ${folder} has lost records (${lost}); restore the folder from a backup, run \`srv kv repair\` to ` +
        'keep what can be read, or start without --strict',
    );
  if (logs.length > 0) await mkdir(join(folder, lostFolder), { recursive: true, mode: 0o700 });
  for (const { name } of logs) await copyFile(join(folder, name), join(folder, lostFolder, name));
  if (logs.length > 0)
    reports.error(
      { folder, damage: lost, copies: join(folder, lostFolder) },
      'the embedded database has lost records: restore a backup, or compare the data with what is expected',
    );
  for (const { name, unfinishedBytes } of unfinished)
    reports.warn({ folder, log: name, bytes: unfinishedBytes }, 'the embedded database dropped an unfinished write at the end of its log');
}

function explain(folder: string, error: unknown): SrvError {
  if (error instanceof SrvError) return error;
  // LevelDB's own reason is the cause of "database failed to open".
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'LEVEL_LOCKED') return inUse(folder, cause);
  if (code === 'LEVEL_CORRUPTION') return damaged(folder, messageOf(cause), cause);
  return new SrvError(
    'config',
    `database.local.path: ${folder} cannot be written (${messageOf(cause)}); make it writable for this user or choose another folder`,
    { cause },
  );
}

export function inUse(folder: string, cause?: unknown): SrvError {
  return new SrvError(
    'unavailable',
    `database.local.path: ${folder} is in use by another process; stop that process or choose another folder`,
    { cause },
  );
}

function damaged(folder: string, what: string, cause?: unknown): SrvError {
  return new SrvError(
    'corrupt',
    `database.local.path: ${folder} holds damaged files (${what}); restore the folder from a backup, or run \`srv kv repair\`, ` +
      'which says what would be lost before it changes anything',
    { cause },
  );
}
