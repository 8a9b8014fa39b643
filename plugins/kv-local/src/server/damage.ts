/** Looks for damage that LevelDB passes over in silence: it starts an empty database, or drops records without an error. */
import { join } from 'node:path';
import { checkLog } from './log-check.js';
import type { DatabaseFiles } from './database-files.js';
import type { LogReport } from './log-check.js';

interface CheckedLog extends LogReport {
  readonly name: string;
}

export interface Damage {
  /** Why the database must not be opened, in a few words. */
  readonly fatal: string | undefined;
  /** Logs with acknowledged writes that cannot be read. */
  readonly logs: readonly CheckedLog[];
  /** Logs that end within a write. */
  readonly unfinished: readonly CheckedLog[];
}

export async function findDamage(files: DatabaseFiles): Promise<Damage> {
  const logs: CheckedLog[] = [];
  for (const name of files.logs) logs.push({ name, ...(await checkLog(join(files.folder, name))) });
  return {
    fatal: await fatalDamage(files),
    logs: logs.filter(({ damage }) => damage.length > 0),
    unfinished: logs.filter(({ damage, unfinishedBytes }) => damage.length === 0 && unfinishedBytes > 0),
  };
}

/** `000012.log: 2 places, 8192 bytes`. */
export function describeLog({ name, damage }: CheckedLog): string {
  const bytes = damage.reduce((sum, { start, end }) => sum + end - start, 0);
  return `${name}: ${damage.length} ${damage.length === 1 ? 'place' : 'places'}, ${bytes} bytes`;
}

async function fatalDamage(files: DatabaseFiles): Promise<string | undefined> {
  const { current, folder, tables, logs } = files;
  if ('fault' in current) {
    // A manifest alone is a creation that was interrupted; LevelDB begins it again.
    if (current.isMissing && tables.length + logs.length === 0) return undefined;
    return `${current.fault}; the folder holds ${count(tables, 'table')} and ${count(logs, 'log')}`;
  }
  const { damage, records } = await checkLog(join(folder, current.manifest));
  if (damage.length > 0) return describeLog({ name: current.manifest, damage, records, unfinishedBytes: 0 });
  return records === 0 ? `${current.manifest} holds no readable record` : undefined;
}

function count(files: readonly string[], kind: string): string {
  return `${files.length} ${kind}${files.length === 1 ? '' : 's'}`;
}
