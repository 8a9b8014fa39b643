/** What the footer of a Parquet file says about the values of a column. */

import { parquetText } from './parquet-values.js';
import { compareOrders } from './table-file.js';
import type { RowGroup, Statistics } from 'hyparquet';
import type { ParquetColumn } from './parquet-schema.js';
import type { ColumnFacts, Order } from './table-file.js';

/** Only what is certain: parts of the file without statistics leave everything open. */
export function factsOf(
  { type, leaves }: ParquetColumn,
  order: ((value: unknown) => Order) | undefined,
  groups: readonly RowGroup[],
): ColumnFacts {
  const [leaf] = leaves;
  if (leaves.length !== 1 || !leaf || leaf.path.length !== 1 || !order) return {};
  const found = groups.map(group => group.columns[leaf.place]?.meta_data?.statistics);
  if (!found.every((each): each is Statistics => each !== undefined)) return {};
  const nulls = found.every(each => each.null_count !== undefined)
    ? found.reduce((sum, each) => sum + Number(each.null_count), 0)
    : undefined;
  const limits = isExact(type.element) ? limitsOf(found, order) : undefined;
  return {
    nulls,
    least: limits && parquetText(type, limits.least),
    greatest: limits && parquetText(type, limits.greatest),
  };
}

/** The reader converts decimals and the oldest times to numbers that cannot hold them. */
function isExact({ type, converted_type: converted, logical_type: logical }: ParquetColumn['type']['element']): boolean {
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL' || logical?.type === 'FLOAT16') return false;
  return type === 'INT32' || type === 'INT64' || type === 'BOOLEAN';
}

function limitsOf(
  found: readonly Statistics[],
  order: (value: unknown) => Order,
): { readonly least: unknown; readonly greatest: unknown } | undefined {
  const filled = found.filter(each => each.min_value !== undefined && each.max_value !== undefined);
  const [first] = filled;
  // A group with nulls only has no limits; any other must have them.
  if (!first || filled.length < found.length) return undefined;
  const pick = (wanted: number, of: (each: Statistics) => unknown): unknown =>
    filled.map(of).reduce((best, next) => (Math.sign(compareOrders(order(next), order(best))) === wanted ? next : best));
  return { least: pick(-1, each => each.min_value), greatest: pick(1, each => each.max_value) };
}
