/** The rows of a table of a catalog, as a query over copies of its files. */
import { SrvError } from '@srv/kernel';
import { quotedName, quotedText } from '@srv/lib-records/tables/sql/engine-sql';
import type { ScanColumn, ScanFile, ScanGroup, TableScan } from '@srv/lib-records/tables/catalog-tables';

export interface ScanNames {
  /** Name of the copy of a file, for the engine. */
  copyOf(file: ScanFile): string;
  /** Lines of JSON with `file`, the name of a copy, and `pos`; absent: there are no deletion vectors. */
  readonly vectors: string | undefined;
}

/** @throws SrvError `invalid` for deletions of columns that nothing describes. */
export function scanSql(scan: TableScan, names: ScanNames): string {
  if (scan.groups.length === 0)
    return `SELECT ${scan.columns.map(({ name, type }) => `NULL::${type} AS ${quotedName(name)}`).join(', ')} WHERE false`;
  return scan.groups.map(group => groupSql(group, scan, names)).join(' UNION ALL ');
}

function groupSql({ data, positions, vectors, equal }: ScanGroup, { columns, formerColumns }: TableScan, names: ScanNames): string {
  const all = [...columns, ...formerColumns];
  const selected = columns.map(({ id, name }) => `d.${internal(id)} AS ${quotedName(name)}`).join(', ');
  const deletions: string[] = [];
  const isDeleted = (rows: string): void =>
    void deletions.push(`NOT EXISTS (FROM (${rows}) x WHERE x.file = d.filename AND x.pos = d.file_row_number)`);
  if (positions.length > 0) {
    const copies = data.map(file => `(${quotedText(file.address)}, ${quotedText(names.copyOf(file))})`).join(', ');
    const found = `read_parquet(${list(positions, names)}, union_by_name = true)`;
    isDeleted(`SELECT c.copy AS file, p.pos FROM ${found} p JOIN (VALUES ${copies}) c(address, copy) ON p.file_path = c.address`);
  }
  if (vectors.size > 0 && names.vectors !== undefined)
    isDeleted(`FROM read_json(${quotedText(names.vectors)}, format = 'newline_delimited', columns = {file: 'VARCHAR', pos: 'BIGINT'})`);
  for (const { file, columns: ids } of equal) {
    const compared = ids.map(id => all.find(column => column.id === id));
    if (compared.length === 0 || !compared.every(column => column !== undefined))
      throw new SrvError('invalid', `${file.address} deletes rows by columns that the table does not describe`);
    const same = ids.map(id => `e.${internal(id)} IS NOT DISTINCT FROM d.${internal(id)}`).join(' AND ');
    deletions.push(`NOT EXISTS (FROM ${parquet([file], compared, names)} e WHERE ${same})`);
  }
  const kept = deletions.length === 0 ? '' : ` WHERE ${deletions.join(' AND ')}`;
  return `SELECT ${selected} FROM ${parquet(data, all, names)} d${kept}`;
}

/** Columns are found by their ids. */
function parquet(files: readonly ScanFile[], columns: readonly ScanColumn[], names: ScanNames): string {
  const fields = columns.map(({ id, type, initial }) => {
    const value = initial === undefined ? 'NULL' : quotedText(initial);
    return `${id}: {name: '${internal(id)}', type: ${quotedText(type)}, default_value: ${value}}`;
  });
  return `read_parquet(${list(files, names)}, schema = MAP {${fields.join(', ')}})`;
}

const internal = (id: number): string => `f${id}`;

function list(files: readonly ScanFile[], names: ScanNames): string {
  return `[${files.map(file => quotedText(names.copyOf(file))).join(', ')}]`;
}
