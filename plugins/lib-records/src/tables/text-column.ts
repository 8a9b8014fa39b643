/** A column whose values are texts, some of which may be numbers: of CSV and lines of JSON, and of files that store one differently. */
import { numberOrder, textOrder } from './text-order.js';
import type { Cell, TableColumn } from './table-file.js';

/** @param isNumeric whether all values that are known so far are numbers. */
export function textColumn(name: string, isNumeric: boolean): TableColumn {
  const text = (value: unknown): Cell => (typeof value === 'string' ? value : null);
  return { name, isNumeric, text, order: value => textOrder(text(value)), orderOfText: limit => numberOrder(limit), label: String };
}
