/** A statement as the engine gets it: with names of its own files in place of addresses. */
import { extensionOf } from './formats.js';
import type { FileUse } from './file-uses.js';

interface Replaced extends FileUse {
  /** Files of the engine; several where the address is a pattern. */
  readonly names: readonly string[];
}

/** @throws Error for a table whose name does not show its format. */
export function engineSql(text: string, uses: readonly Replaced[]): string {
  let sql = '';
  let from = 0;
  for (const use of uses) {
    sql += text.slice(from, use.start) + replacementOf(use);
    from = use.end;
  }
  return sql + text.slice(from);
}

const quoted = (name: string): string => `'${name.replaceAll("'", "''")}'`;

function replacementOf({ role, address, names }: Replaced): string {
  const [first = ''] = names;
  const list = names.length === 1 ? quoted(first) : `[${names.map(quoted).join(', ')}]`;
  if (role !== 'table') return list;
  const extension = extensionOf(address);
  if (extension === 'parquet') return `read_parquet(${list}, hive_partitioning=false)`;
  if (extension === 'csv' || extension === 'tsv' || extension === 'txt') return `read_csv_auto(${list}, hive_partitioning=false)`;
  throw new Error(`the name of ${address} does not show its format: write read_csv_auto('${address}') or read_parquet('${address}')`);
}

/** What the engine says, with addresses in place of its names. */
export function withAddresses(message: string, addresses: ReadonlyMap<string, string>): string {
  return message.replace(/srv-file-\d+[.\w]*/g, name => addresses.get(name) ?? name);
}
