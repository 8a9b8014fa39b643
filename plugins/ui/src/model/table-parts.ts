/** Which files of a folder are one table: those of the format that most of them have. */
import { tableFormatOf } from './object-kind.js';
import type { TableFormat } from '@srv/lib-records/tables/table-format';
import type { NamedObject } from './object-kind.js';

export interface NamedFile extends NamedObject {
  readonly size: number;
}

export interface TableParts {
  readonly format: TableFormat | undefined;
  readonly parts: readonly { readonly path: string; readonly size: number }[];
  /** Files of other formats. */
  readonly others: number;
  /** There are more files than are read. */
  readonly isCut: boolean;
}

/** Files of a table. */
export const mostParts = 1000;

export function tableParts(files: readonly NamedFile[], folder: string): TableParts {
  const shown = files.filter(({ path, size }) => size > 0 && !isHidden(path.slice(folder.length)));
  const byFormat = new Map<TableFormat, NamedFile[]>();
  for (const file of shown) {
    const format = tableFormatOf(file);
    if (format) byFormat.set(format, [...(byFormat.get(format) ?? []), file]);
  }
  const [[format, found] = [undefined, []]] = [...byFormat].toSorted(([, a], [, b]) => b.length - a.length);
  const parts = found.slice(0, mostParts).map(({ path, size }) => ({ path, size }));
  return { format, parts, others: shown.length - found.length, isCut: found.length > mostParts };
}

/** Notes and logs of writers, such as `_SUCCESS` and `_delta_log/`. */
const isHidden = (path: string): boolean => path.split('/').some(name => /^[_.]/.test(name));
