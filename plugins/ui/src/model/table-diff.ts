/** Differences of two tables: columns that came and went, rows by a key. */

export interface Table {
  readonly columns: readonly string[];
  /** As text. */
  readonly rows: readonly (readonly string[])[];
}

interface RowChange {
  readonly kind: 'added' | 'removed' | 'changed';
  /** In the order of {@link TableDiff.columns}; `undefined` where the side has no such column. */
  readonly before?: readonly (string | undefined)[];
  readonly after?: readonly (string | undefined)[];
}

interface TableDiff {
  /** Those of both sides: the later order, then what is gone. */
  readonly columns: readonly { readonly name: string; readonly kind: 'same' | 'added' | 'removed' }[];
  /** What identifies a row: a column, or the whole row. */
  readonly key: string | undefined;
  readonly changes: readonly RowChange[];
  readonly same: number;
}

export function diffTables(before: Table, after: Table): TableDiff {
  const columns = [
    ...after.columns.map(name => ({ name, kind: before.columns.includes(name) ? ('same' as const) : ('added' as const) })),
    ...before.columns.filter(name => !after.columns.includes(name)).map(name => ({ name, kind: 'removed' as const })),
  ];
  const aligned = (table: Table): (string | undefined)[][] => {
    const places = columns.map(({ name }) => table.columns.indexOf(name));
    return table.rows.map(row => places.map(at => (at < 0 ? undefined : (row[at] ?? ''))));
  };
  const key = keyColumn(before, after);
  const at = columns.findIndex(({ name }) => name === key);
  const keyOf = (row: readonly (string | undefined)[]): string => (key === undefined ? JSON.stringify(row) : (row[at] ?? ''));
  // Rows without a key of their own may occur several times.
  const waiting = new Map<string, (readonly (string | undefined)[])[]>();
  for (const row of aligned(before)) waiting.set(keyOf(row), [...(waiting.get(keyOf(row)) ?? []), row]);
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

/** The first column that both sides have and that names each row once. */
function keyColumn(before: Table, after: Table): string | undefined {
  return after.columns.find(
    name => before.columns.includes(name) && [before, after].every(table => isUnique(table, table.columns.indexOf(name))),
  );
}

function isUnique({ rows }: Table, at: number): boolean {
  const seen = new Set(rows.map(row => row[at] ?? ''));
  return seen.size === rows.length && !seen.has('');
}
