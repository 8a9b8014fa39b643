/**
 * The files that the manifest says the database consists of. LevelDB itself notices missing tables only: it replays the logs
 * that it finds, and takes a manifest that ends within an edit for the one before that edit.
 *
 * Killing a process at any moment leaves no needed file missing. LevelDB writes and syncs a table, and
 * creates a log, before it adds the edit that names them; it syncs the folder and then the manifest (`PosixWritableFile::Sync`),
 * at start also replaces `CURRENT`, and deletes the files that the edit makes obsolete only after that (`DBImpl::Open`,
 * `CompactMemTable` and `BackgroundCompaction` in `db/db_impl.cc`). So whether the last edit is whole or not, the files are
 * there that the last whole edit needs. The log of a new database is 0, as it is after a repair by LevelDB: none.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { numberOf } from './database-files.js';
import { checkLog } from './log-check.js';
import { decodeVersionEdit } from './version-edit.js';
import type { DatabaseFiles } from './database-files.js';
import type { LogReport } from './log-check.js';
import type { VersionEdit } from './version-edit.js';

export class Manifest {
  readonly report: LogReport;
  readonly hasUnreadableEdits: boolean;
  readonly #name: string;
  readonly #log: number;
  readonly #previousLog: number;
  /** Bytes of each table by its number. */
  readonly #tables: ReadonlyMap<number, number>;

  private constructor(name: string, report: LogReport, edits: readonly (VersionEdit | undefined)[]) {
    const whole = edits.filter(edit => edit !== undefined);
    this.#name = name;
    this.report = report;
    this.hasUnreadableEdits = whole.length < edits.length;
    this.#log = whole.findLast(({ log }) => log !== undefined)?.log ?? 0;
    this.#previousLog = whole.findLast(({ previousLog }) => previousLog !== undefined)?.previousLog ?? 0;
    this.#tables = tablesAfter(whole);
  }

  /** @throws the file system's error when the file cannot be read. */
  static async read(folder: string, name: string): Promise<Manifest> {
    const edits: (VersionEdit | undefined)[] = [];
    const report = await checkLog(join(folder, name), record => edits.push(decodeVersionEdit(record)));
    return new Manifest(name, report, edits);
  }

  /** A file that the database needs and that is missing or too short, in a few words. */
  async missingFile({ folder, logs, tables }: DatabaseFiles): Promise<string | undefined> {
    const numbers = new Set(logs.map(numberOf));
    const log = [this.#previousLog, this.#log].find(number => number !== 0 && !numbers.has(number));
    if (log !== undefined) return `${String(log).padStart(6, '0')}.log, which ${this.#name} needs, is missing`;
    const names = new Map(tables.map(name => [numberOf(name), name]));
    for (const [number, bytes] of this.#tables) {
      const name = names.get(number);
      if (name === undefined) return `${String(number).padStart(6, '0')}.ldb, which ${this.#name} needs, is missing`;
      const { size } = await stat(join(folder, name));
      if (size < bytes) return `${name} has ${size} of ${bytes} bytes`;
    }
    return undefined;
  }

  /** Whether the database consists of this log or table, among others. What else is there LevelDB deletes without reading it. */
  needs(name: string): boolean {
    const number = numberOf(name);
    return name.endsWith('.log') ? number >= this.#log || number === this.#previousLog : this.#tables.has(number);
  }
}

function tablesAfter(edits: readonly VersionEdit[]): Map<number, number> {
  // A table that moves to another level is deleted and added in one edit.
  const places = new Map<string, readonly [number: number, bytes: number]>();
  for (const { deleted, added } of edits) {
    for (const { level, number } of deleted) places.delete(`${level} ${number}`);
    for (const { level, number, bytes } of added) places.set(`${level} ${number}`, [number, bytes]);
  }
  return new Map(places.values());
}
