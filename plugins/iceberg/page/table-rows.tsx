/** Tables in a card, a page at a time as they come into sight. */
import { PagedRows, usePages } from '@srv/lib-page/page';
import type { Page } from '@srv/lib-page/page';
import type { VNode } from 'preact';

interface TableRowsProps<T> {
  readonly label: string;
  readonly load: (after: string, signal: AbortSignal) => Promise<Page<T>>;
  /** Loads again when it changes. */
  readonly of: readonly unknown[];
  /** Pixels of a row. */
  readonly height: number;
  readonly empty: VNode;
  readonly row: (item: T) => VNode;
}

export function TableRows<T>({ label, load, of, height, empty, row }: TableRowsProps<T>) {
  const pages = usePages(load, of);
  return (
    <div class="card">
      <PagedRows label={label} pages={pages} items={pages.items} height={height} empty={empty} row={row} />
    </div>
  );
}
