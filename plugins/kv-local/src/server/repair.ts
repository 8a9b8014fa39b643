/**
 * Repair of a damaged folder. It happens on copies in a folder inside (hard links where the file system has them), so
 * that the result can be looked at before anything changes; LevelDB's repair replaces and renames files, it never writes
 * into one. The damaged files stay in a folder of their own.
 */
import { createWriteStream } from 'node:fs';
import { copyFile, link, mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SrvError, messageOf } from '@srv/kernel';
import { ClassicLevel as Level } from 'classic-level';
import { describeLog, findDamage } from './damage.js';
import { dataFiles, databaseFiles, lostFolder } from './database-files.js';
import { refuseWhileInUse } from './in-use.js';
import { checkLog } from './log-check.js';
import { encodeLog } from './log-format.js';
import { keysEnd, partitionOf } from './record-key.js';
import type { KvRepair } from '@srv/kernel';
import type { Damage } from './damage.js';

const scratchName = 'repair.tmp';

/**
 * Looks at the folder and prepares a repaired copy.
 * @throws SrvError `unavailable` when another process uses the folder, `notFound` when it holds no database, `corrupt`
 * when nothing can be repaired.
 */
export async function prepareRepair(path: string): Promise<KvRepair> {
  const folder = resolve(path);
  const files = await databaseFiles(folder).catch((error: unknown) => {
    throw new SrvError('not_found', `database.local.path: ${folder} cannot be read (${messageOf(error)}); name the folder of the database`);
  });
  if (dataFiles(files).length === 0)
    throw new SrvError('not_found', `database.local.path: ${folder} holds no file of a database; there is nothing to repair`);
  await refuseWhileInUse(folder);
  const scratch = join(folder, scratchName);
  await rm(scratch, { recursive: true, force: true });
  const close = (): Promise<void> => rm(scratch, { recursive: true, force: true });
  try {
    const damage = await findDamage(files);
    await copyInto(scratch, folder, 'manifest' in files.current ? [...dataFiles(files), 'CURRENT'] : dataFiles(files));
    const refusal = damage.fatal ?? (await openingRefusal(scratch));
    // Opening the copy may have changed its set of files.
    await rm(scratch, { recursive: true, force: true });
    await copyInto(
      scratch,
      folder,
      dataFiles(files).filter(name => refusal !== undefined || !damage.obsolete.includes(name)),
    );
    const losses = await repairCopy(scratch, damage, refusal);
    const isNeeded = losses.length > 0;
    const earlier = damage.kept.map(
      name => `an earlier start lost records of ${name}; the damaged log is kept in ${join(folder, lostFolder)}`,
    );
    const findings = [
      ...(isNeeded ? losses : ['the database opens, and its logs and tables can be read']),
      ...earlier,
      await readableRecords(scratch),
    ];
    return { findings, isNeeded, apply: () => apply(folder, scratch), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openingRefusal(scratch: string): Promise<string | undefined> {
  const db = new Level(scratch, { createIfMissing: false });
  try {
    await db.open();
    await db.close();
    return undefined;
  } catch (error) {
    return messageOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
  }
}

/** @returns what is damaged; nothing when all is well. */
async function repairCopy(scratch: string, { logs }: Damage, refusal: string | undefined): Promise<string[]> {
  const findings = refusal === undefined ? [] : [`the database does not open: ${refusal}`];
  // LevelDB's repair takes records of logs without looking at their checksums: it must see whole ones only.
  for (const log of (await databaseFiles(scratch)).logs) await rewriteWhole(join(scratch, log));
  await Level.repair(scratch);
  for (const log of logs) findings.push(`writes in ${describeLog(log)} cannot be read and would be lost`);
  findings.push(...(await damagedTables(scratch)));
  if (refusal !== undefined) findings.push('which files belong to the database is guessed: recently deleted records may come back');
  return findings;
}

async function rewriteWhole(path: string): Promise<void> {
  const records: Buffer[] = [];
  await checkLog(path, record => records.push(Buffer.from(record)));
  const whole = `${path}.whole`;
  await pipeline(Readable.from(encodeLog(records)), createWriteStream(whole, { flush: true, mode: 0o600 }));
  await rename(whole, path);
}

/** Repair moves tables that it cannot read, or only in part, aside. */
async function damagedTables(scratch: string): Promise<string[]> {
  const aside = await readdir(join(scratch, 'lost')).catch(() => []);
  const report = await readFile(join(scratch, 'LOG'), 'utf8').catch(() => '');
  return aside
    .filter(name => /\.(ldb|sst)$/.test(name))
    .map(name => {
      const number = Number.parseInt(name, 10);
      const entries = [...report.matchAll(new RegExp(`Table #${number}: (\\d+) entries repaired`, 'g'))].at(-1)?.[1] ?? '0';
      return `table ${name} is damaged: of its records ${entries} can be read, the others would be lost`;
    });
}

async function readableRecords(scratch: string): Promise<string> {
  const db = new Level<Buffer, Buffer>(scratch, { keyEncoding: 'buffer', valueEncoding: 'buffer', createIfMissing: false });
  try {
    await db.open();
    const partitions = new Set<string>();
    let count = 0;
    for await (const key of db.keys()) {
      partitions.add(partitionOf(key));
      count++;
    }
    await db.close();
    return `${count} records in ${partitions.size} partitions can be read and are kept`;
  } catch (error) {
    throw new SrvError(
      'corrupt',
      `the repaired copy cannot be read (${messageOf(error)}); nothing has been changed: restore the folder from a backup`,
      {
        cause: error,
      },
    );
  }
}

async function apply(folder: string, scratch: string): Promise<string> {
  await sortByAge(scratch);
  return replaceFiles(folder, scratch);
}

/**
 * LevelDB's repair puts all tables into level 0, where a lookup takes the value of the table with the greatest number. That
 * need not be the newest: numbers are those of files, and a compaction writes old records to a new file. Another compaction
 * merges them by the age of the writes. It rewrites the database, so it is not done for a mere check.
 */
async function sortByAge(scratch: string): Promise<void> {
  const db = new Level<Buffer, Buffer>(scratch, { keyEncoding: 'buffer', valueEncoding: 'buffer', createIfMissing: false });
  await db.open();
  try {
    await db.compactRange(Buffer.alloc(0), keysEnd);
    // A compaction that fails, for example on a full disk, does not say so.
    const left = db.getProperty('leveldb.num-files-at-level0');
    if (left !== '0')
      throw new SrvError(
        'unavailable',
        `the repaired copy in ${scratch} cannot be rewritten (${left} tables are left); nothing has been changed: ` +
          'make sure that the disk has room for the database once more, and try again',
      );
  } finally {
    await db.close();
  }
}

/**
 * Puts the repaired files in place of the damaged ones. `CURRENT` goes first and comes last: a folder half way has none
 * and is refused at start, and the damaged files are whole in their own folder.
 * @returns that folder.
 */
async function replaceFiles(folder: string, scratch: string): Promise<string> {
  await refuseWhileInUse(folder);
  const repaired = await databaseFiles(scratch);
  const old = await databaseFiles(folder);
  const kept = join(folder, `before-repair-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`);
  const oldNames = [...dataFiles(old), ...('fault' in old.current && old.current.isMissing ? [] : ['CURRENT'])];
  await copyInto(kept, folder, oldNames);
  await syncFolder(folder);
  await rm(join(folder, 'CURRENT'), { force: true });
  await syncFolder(folder);
  const names = dataFiles(repaired);
  for (const name of names) await rename(join(scratch, name), join(folder, name));
  for (const name of oldNames.filter(name => name !== 'CURRENT' && !names.includes(name))) await rm(join(folder, name));
  await syncFolder(folder);
  await rename(join(scratch, 'CURRENT'), join(folder, 'CURRENT'));
  await syncFolder(folder);
  return kept;
}

async function copyInto(target: string, source: string, names: readonly string[]): Promise<void> {
  await mkdir(target, { mode: 0o700 });
  for (const name of names) {
    const [from, to] = [join(source, name), join(target, name)];
    await link(from, to).catch(() => copyFile(from, to));
  }
  await syncFolder(target);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
