/** Looks for damage that LevelDB passes over in silence: it starts an empty database, or drops records without an error. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lostFolder } from './database-files.js';
import { checkLog } from './log-check.js';
import { Manifest } from './manifest.js';
import { writeNumbers } from './write-batch.js';
import type { DatabaseFiles } from './database-files.js';
import type { LogReport } from './log-check.js';

interface CheckedLog extends LogReport {
  readonly name: string;
  /** Records are missing between its last one and the first one of the next log. */
  readonly isCutOff: boolean;
}

export interface Damage {
  /** Why the database must not be opened, in a few words. */
  readonly fatal: string | undefined;
  /** Logs with acknowledged writes that cannot be read. */
  readonly logs: readonly CheckedLog[];
  /** Logs that end within a write. */
  readonly unfinished: readonly CheckedLog[];
  /** Tables and logs that are there and not part of the database. */
  readonly obsolete: readonly string[];
  /** Logs that lost records at an earlier start, which kept copies. */
  readonly kept: readonly string[];
}

export async function findDamage(files: DatabaseFiles): Promise<Damage> {
  const { folder, current } = files;
  const manifest = 'fault' in current ? undefined : await Manifest.read(folder, current.manifest);
  const fatal = await fatalDamage(files, manifest);
  // A manifest that is wrong about one file may be wrong about others.
  const needs = (name: string): boolean => fatal !== undefined || !manifest || manifest.needs(name);
  const logs = await checkLogs(folder, files.logs.filter(needs));
  return {
    fatal,
    logs: logs.filter(({ damage, isCutOff }) => damage.length > 0 || isCutOff),
    unfinished: logs.filter(({ damage, isCutOff, unfinishedBytes }) => damage.length === 0 && !isCutOff && unfinishedBytes > 0),
    obsolete: [...files.logs, ...files.tables].filter(name => !needs(name)),
    kept: (await readdir(join(folder, lostFolder)).catch(() => [])).filter(name => name.endsWith('.log')),
  };
}

/** `000012.log: 2 places, 8192 bytes`. */
export function describeLog({ name, damage, isCutOff }: CheckedLog): string {
  const places = damage.length > 0 ? [describePlaces(damage)] : [];
  return `${name}: ${[...places, ...(isCutOff ? ['its last records'] : [])].join('; ')}`;
}

function describePlaces(damage: LogReport['damage']): string {
  const bytes = damage.reduce((sum, { start, end }) => sum + end - start, 0);
  return `${damage.length} ${damage.length === 1 ? 'place' : 'places'}, ${bytes} bytes`;
}

/**
 * Only the newest log may end within a write. LevelDB begins a log with the write that follows the last one of the log before:
 * where the numbers of writes do not continue, acknowledged ones are missing.
 */
async function checkLogs(folder: string, names: readonly string[]): Promise<CheckedLog[]> {
  const logs: CheckedLog[] = [];
  let next: NumberedLog | undefined;
  for (const name of names.toReversed()) {
    const log = await readLog(folder, name);
    logs.unshift({ name, ...log.report, isCutOff: next !== undefined && isGap(log, next) });
    if (log.first !== undefined) next = log;
  }
  return logs;
}

interface NumberedLog {
  readonly report: LogReport;
  /** Numbers of the first and the last write that can be read. */
  first: bigint | undefined;
  last: bigint | undefined;
}

async function readLog(folder: string, name: string): Promise<NumberedLog> {
  const numbers: Omit<NumberedLog, 'report'> = { first: undefined, last: undefined };
  const report = await checkLog(join(folder, name), record => {
    const batch = writeNumbers(record);
    numbers.first ??= batch?.first;
    numbers.last = batch?.last ?? numbers.last;
  });
  return { report, ...numbers };
}

function isGap({ last }: NumberedLog, { first, report }: NumberedLog): boolean {
  // The writes that are missing may be those of unreadable bytes at the beginning of the next log.
  if (first === undefined || report.damage[0]?.start === 0) return false;
  return last === undefined || first > last + 1n;
}

async function fatalDamage(files: DatabaseFiles, manifest: Manifest | undefined): Promise<string | undefined> {
  const { current, tables, logs } = files;
  if ('fault' in current) {
    // A manifest alone is a creation that was interrupted; LevelDB begins it again.
    if (current.isMissing && tables.length + logs.length === 0) return undefined;
    return `${current.fault}; the folder holds ${count(tables, 'table')} and ${count(logs, 'log')}`;
  }
  if (!manifest) return undefined;
  const { damage, records } = manifest.report;
  if (damage.length > 0) return `${current.manifest}: ${describePlaces(damage)}`;
  if (records === 0) return `${current.manifest} holds no readable record`;
  if (manifest.hasUnreadableEdits) return `${current.manifest} holds an edit that cannot be read`;
  return manifest.missingFile(files);
}

function count(files: readonly string[], kind: string): string {
  return `${files.length} ${kind}${files.length === 1 ? '' : 's'}`;
}
