/** Opens the folder of the store; errors name the folder and say what to do. */
import { copyFile, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SrvError, makeFolder, messageOf, silentLogger, writableRemedy } from '@srv/kernel';
import { ClassicLevel as Level } from 'classic-level';
import { describeLog, findDamage } from './damage.js';
import { databaseFiles, lostFolder } from './database-files.js';
import { inUse, refuseWhileInUse } from './in-use.js';
import { RecoveringDatabase } from './recovering-database.js';
import { SharedKvStore } from './shared/shared-store.js';
import { LocalKvStore } from './store.js';
import type { Logger } from '@srv/kernel';
import type { Damage } from './damage.js';
import type { Database } from './recovering-database.js';
import type { SharedStoreOptions } from './shared/shared-store.js';
import type { LocalKvStoreOptions } from './store.js';

export interface OpenOptions extends LocalKvStoreOptions {
  /** Folder, created when missing. */
  readonly path: string;
  /** Refuses to open a store that lost records, instead of reporting the loss. Default: false. */
  readonly strict?: boolean;
  /** Receives reports of damage. */
  readonly reports?: Logger;
}

interface OpenSharedOptions extends OpenOptions, Pick<SharedStoreOptions, 'group' | 'timeoutMs' | 'mayOwn'> {}

/**
 * Opens or creates the store.
 * @throws SrvError `unavailable` when another process uses the folder, `config` when it cannot be written, `corrupt`
 * when its files are damaged.
 */
export async function openLocalKvStore({ path, ...options }: OpenOptions): Promise<LocalKvStore> {
  return openDatabase(resolve(path), options);
}

/**
 * Opens the store for processes of one group: one of them has the database open, the others reach it there.
 * @throws SrvError as {@link openLocalKvStore}; `unavailable` also when the database is that of another group.
 */
export async function openSharedKvStore({ path, group, timeoutMs, mayOwn, ...options }: OpenSharedOptions): Promise<SharedKvStore> {
  const folder = resolve(path);
  const { reports = silentLogger } = options;
  return SharedKvStore.open({
    folder,
    group,
    log: reports,
    openDatabase: () => openDatabase(folder, options),
    timeoutMs,
    mayOwn,
  });
}

async function openDatabase(
  folder: string,
  { strict = false, reports = silentLogger, ...options }: Omit<OpenOptions, 'path'>,
): Promise<LocalKvStore> {
  const check = async (): Promise<void> => judge(folder, await damageOf(folder, strict), strict, reports);
  try {
    await makeFolder(folder, 0o700);
    await check();
    const level: Database = new Level<Buffer, Buffer>(folder, { keyEncoding: 'buffer', valueEncoding: 'buffer' });
    await level.open();
    const reopen = async (): Promise<void> => {
      await check();
      await level.open();
    };
    return new LocalKvStore(new RecoveringDatabase(level, { reopen, log: reports }), options);
  } catch (error) {
    throw explain(folder, error);
  }
}

/** What is damaged, unless another process is at work there: half of what that writes looks like damage. */
async function damageOf(folder: string, strict: boolean): Promise<Damage> {
  const check = async (): Promise<Damage> => findDamage(await databaseFiles(folder));
  // A file that is deleted during the check belongs to another process, or is missing at the second check.
  const damage = await check().catch(() => undefined);
  if (damage && isSound(damage, strict)) return damage;
  await refuseWhileInUse(folder);
  // A process that has just ended may have replaced files during the first check.
  return check();
}

function isSound({ fatal, logs, unfinished, kept }: Damage, strict: boolean): boolean {
  return fatal === undefined && logs.length + unfinished.length === 0 && !(strict && kept.length > 0);
}

async function judge(folder: string, { fatal, logs, unfinished, kept }: Damage, strict: boolean, reports: Logger): Promise<void> {
  if (fatal !== undefined) throw damaged(folder, fatal);
  const lost = logs.map(describeLog).join('; ');
  if (logs.length > 0 && strict)
    throw new SrvError(
      'corrupt',
      `database.local.path: ${folder} has lost records (${lost}); restore the folder from a backup, run \`srv kv repair\` to ` +
        'keep what can be read, or start without --strict',
    );
  const copies = join(folder, lostFolder);
  if (kept.length > 0 && strict)
    throw new SrvError(
      'corrupt',
      `database.local.path: ${folder} lost records at an earlier start without --strict, which kept the damaged logs (${kept.join(', ')}) ` +
        `in ${copies}; restore the folder from a backup, or move ${copies} elsewhere to continue without those records`,
    );
  if (logs.length > 0) await mkdir(copies, { recursive: true, mode: 0o700 });
  for (const { name } of logs) await copyFile(join(folder, name), join(copies, name));
  if (logs.length > 0)
    reports.error(
      { folder, damage: lost, copies },
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
  return new SrvError('config', `database.local.path: ${folder} cannot be written (${messageOf(cause)}); ${writableRemedy(cause)}`, {
    cause,
  });
}

function damaged(folder: string, what: string, cause?: unknown): SrvError {
  return new SrvError(
    'corrupt',
    `database.local.path: ${folder} holds damaged files (${what}); restore the folder from a backup, or run \`srv kv repair\`, ` +
      'which says what would be lost before it changes anything',
    { cause },
  );
}
