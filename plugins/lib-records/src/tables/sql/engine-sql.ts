/** A statement as the engine gets it: with names of its own files in place of addresses. */
import { tableFormatOf } from './formats.js';
import type { FileUse } from './file-uses.js';

/** A part of a statement, and what stands there instead. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly sql: string;
}

/** @param replacements in the order of the statement; they do not overlap. */
export function engineSql(text: string, replacements: readonly Replacement[]): string {
  let sql = '';
  let from = 0;
  for (const { start, end, sql: instead } of replacements) {
    sql += text.slice(from, start) + instead;
    from = end;
  }
  return sql + text.slice(from);
}

export function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const readers = { parquet: 'read_parquet', csv: 'read_csv_auto', json: 'read_json_auto' } as const;

interface EngineFiles {
  /** Files of the engine; several where the address is a pattern. */
  readonly names: readonly string[];
  /** Formats that the engine reads. */
  readonly formats: readonly (keyof typeof readers)[];
}

/** @throws Error for a table whose name does not show a format that the engine reads. */
export function fileReplacement({ role, address, start, end }: FileUse, { names, formats }: EngineFiles): Replacement {
  const [first = ''] = names;
  const list = names.length === 1 ? quotedText(first) : `[${names.map(quotedText).join(', ')}]`;
  if (role !== 'table' && role !== 'query') return { start, end, sql: list };
  const format = tableFormatOf(address);
  if (format === undefined || !formats.includes(format)) {
    throw new Error(`the name of ${address} does not show its format: write ${readersFor(address, formats)}`);
  }
  const query = role === 'query' ? 'SELECT * FROM ' : '';
  return { start, end, sql: `${query}${readers[format]}(${list}, hive_partitioning=false)` };
}

/** For messages: how an address is written where any table can stand. @param formats those that may be meant. */
export function readersFor(address: string, formats: EngineFiles['formats']): string {
  const known = tableFormatOf(address);
  const meant = known !== undefined && formats.includes(known) ? [known] : formats;
  return meant.map(format => `${readers[format]}(${quotedText(address)})`).join(' or ');
}

/** What the engine says, with addresses in place of its names. @param addresses by name, without the folder of the engine's files. */
export function withAddresses(message: string, addresses: ReadonlyMap<string, string>): string {
  const ownName = /(?:(?<!\w)in\/)?(srv-(?:file-\d+|table-\d+-\d+)[.\w]*)/g;
  return message.replace(ownName, (found, name: string) => addresses.get(name) ?? found);
}
