/** Pages of a table, to the last row. */
import { Button, grouped } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';

/** Rows of a page. */
export const pageRows = 1000;

interface PagerProps {
  /** Number of the first row of the page, from 0. */
  readonly first: number;
  /** `undefined` while they are not counted. */
  readonly total: number | undefined;
  readonly onFirst: (row: number) => void;
}

export function Pager({ first, total, onFirst }: PagerProps) {
  const [wanted, setWanted] = useState('');
  if (total !== undefined && total <= pageRows) return null;
  const last = total === undefined ? undefined : Math.floor((total - 1) / pageRows) * pageRows;
  const isFirst = first === 0 && 'these are the first rows';
  const isLast = last !== undefined && first >= last && 'these are the last rows';
  const go = (): void => {
    const row = Number(wanted.replace(/[ ,]/g, ''));
    if (!Number.isSafeInteger(row) || row < 1) return;
    onFirst(Math.min(row, total ?? row) - 1);
  };
  return (
    <div class="card-head pager">
      <Button off={isFirst} onClick={() => onFirst(0)}>
        First
      </Button>
      <Button off={isFirst} onClick={() => onFirst(Math.max(0, first - pageRows))}>
        Previous
      </Button>
      <span class="muted small">
        Rows {grouped(first + 1)} to {grouped(Math.min(first + pageRows, total ?? Infinity))}
        {total !== undefined && ` of ${grouped(total)}`}
      </span>
      <Button off={isLast} onClick={() => onFirst(first + pageRows)}>
        Next
      </Button>
      <Button off={last === undefined ? 'the rows are not counted yet' : isLast} onClick={() => onFirst(last ?? 0)}>
        Last
      </Button>
      <form
        class="group"
        onSubmit={event => {
          event.preventDefault();
          go();
        }}
      >
        <input
          class="input short-input"
          inputMode="numeric"
          aria-label="Go to row"
          placeholder="Go to row"
          value={wanted}
          onInput={event => setWanted(event.currentTarget.value)}
        />
      </form>
    </div>
  );
}
