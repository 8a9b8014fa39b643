/** A value of a table. */
import { grouped } from '@srv/lib-page/page';
import { visibleText } from '../../../src/model/visible-text.js';
import type { ShownCell } from '@srv/lib-records/tables/table-protocol';

interface CellTextProps {
  readonly cell: ShownCell;
  /** Shows all of a text of which this is the beginning. */
  readonly onOpen?: (() => void) | undefined;
}

export function CellText({ cell, onOpen }: CellTextProps) {
  if (cell === undefined) return null;
  // A value that is missing is not an empty text.
  if (cell === null) return <span class="muted">null</span>;
  const [text, isCut] = typeof cell === 'string' ? [cell, false] : [cell.start, true];
  return (
    <>
      {onOpen && isCut && (
        <button type="button" class="more-text" onClick={onOpen}>
          {grouped(cell.length)} characters
        </button>
      )}
      {visibleText(text)}
      {isCut && '…'}
    </>
  );
}
