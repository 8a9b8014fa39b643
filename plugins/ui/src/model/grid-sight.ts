/** Which rows and columns of a large table are in sight: only those are drawn. */

export interface Sight {
  readonly firstRow: number;
  /** Exclusive, as `lastColumn`. */
  readonly lastRow: number;
  readonly firstColumn: number;
  readonly lastColumn: number;
}

export interface Viewport {
  readonly top: number;
  readonly left: number;
  readonly height: number;
  readonly width: number;
}

/** Rows and columns drawn beyond what is in sight. */
const rowMargin = 12;
const columnMargin = 2;

/** @param widths of the columns, in pixels as everything here. */
export function sightOf({ top, left, height, width }: Viewport, rows: number, rowHeight: number, widths: readonly number[]): Sight {
  const firstRow = Math.max(0, Math.min(rows, Math.floor(top / rowHeight)) - rowMargin);
  const lastRow = Math.min(rows, Math.ceil((top + height) / rowHeight) + rowMargin);
  let at = 0;
  let firstColumn = -1;
  let lastColumn = widths.length;
  for (const [i, own] of widths.entries()) {
    if (firstColumn < 0 && at + own > left) firstColumn = i;
    at += own;
    if (at >= left + width) {
      lastColumn = i + 1;
      break;
    }
  }
  return {
    firstRow,
    lastRow,
    firstColumn: Math.max(0, (firstColumn < 0 ? widths.length : firstColumn) - columnMargin),
    lastColumn: Math.min(widths.length, lastColumn + columnMargin),
  };
}

/** Pixels that a column gets for texts of these lengths. */
export function columnWidth(lengths: readonly number[]): number {
  const longest = lengths.reduce((most, length) => Math.max(most, length), 0);
  return Math.round(Math.min(420, Math.max(64, longest * 7.3 + 28)));
}
