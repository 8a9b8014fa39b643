/** Differences of two tables: columns that came and went, rows by a key. */

/** A value as text; `null` if it is missing, as opposed to an empty text. */
export type Cell = string | null;

export interface Table {
  readonly columns: readonly string[];
  /** A row may be shorter than `columns`. */
  readonly rows: readonly (readonly Cell[])[];
}

interface RowChange {
  readonly kind: 'added' | 'removed' | 'changed';
  /** In the order of {@link TableDiff.columns}; `undefined` where the side has no such column. */
  readonly before?: readonly (Cell | undefined)[];
  readonly after?: readonly (Cell | undefined)[];
}

interface TableDiff {
  /** Those of both sides: the later order, then what is gone. */
  readonly columns: readonly { readonly name: string; readonly kind: 'same' | 'added' | 'removed' }[];
  /** What identifies a row: a column, or the whole row. */
  readonly key: string | undefined;
  readonly changes: readonly RowChange[];
  readonly same: number;
}

export function diffTables(first: Table, second: Table): TableDiff {
  const [before, after] = [withUniqueNames(first), withUniqueNames(second)];
  const columns = [
    ...after.columns.map(name => ({ name, kind: before.columns.includes(name) ? ('same' as const) : ('added' as const) })),
    ...before.columns.filter(name => !after.columns.includes(name)).map(name => ({ name, kind: 'removed' as const })),
  ];
  const aligned = (table: Table): (Cell | undefined)[][] => {
    const places = columns.map(({ name }) => table.columns.indexOf(name));
    return table.rows.map(row => places.map(at => (at < 0 ? undefined : (row[at] ?? null))));
  };
  const key = keyColumn(before, after);
  const at = columns.findIndex(({ name }) => name === key);
  const keyOf = (row: readonly (Cell | undefined)[]): string => (key === undefined ? JSON.stringify(row) : (row[at] ?? ''));
  // Rows without a key of their own may occur several times.
  const waiting = new Map<string, (readonly (Cell | undefined)[])[]>();
  for (const row of aligned(before)) {
    const same = waiting.get(keyOf(row));
    if (same) same.push(row);
    else waiting.set(keyOf(row), [row]);
  }
  const changes: RowChange[] = [];
  let same = 0;
  for (const row of aligned(after)) {
    const old = waiting.get(keyOf(row))?.shift();
    if (!old) changes.push({ kind: 'added', after: row });
    else if (row.every((value, i) => value === old[i])) same++;
    else changes.push({ kind: 'changed', before: old, after: row });
  }
  for (const rows of waiting.values()) for (const row of rows) changes.push({ kind: 'removed', before: row });
  return { columns, key, changes, same };
}

/** A name that stands several times in a header names several columns: the later ones get their number. */
function withUniqueNames({ columns, rows }: Table): Table {
  const counts = new Map<string, number>();
  const unique = columns.map(name => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
  return { columns: unique, rows };
}

/** The first column that both sides have and that names each row once. */
function keyColumn(before: Table, after: Table): string | undefined {
  return after.columns.find(
    name => before.columns.includes(name) && [before, after].every(table => isUnique(table, table.columns.indexOf(name))),
  );
}

function isUnique({ rows }: Table, at: number): boolean {
  const seen = new Set(rows.map(row => row[at] ?? null));
  return seen.size === rows.length && !seen.has(null) && !seen.has('');
}
