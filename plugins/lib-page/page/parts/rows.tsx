/** A list of any length: only the rows in sight are in the document. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../core/client.js';
import { Retry } from './retry.js';
import { Alert, Failed, LoadingRows } from './states.js';
import type { ComponentChildren, VNode } from 'preact';
import type { Pages } from '../core/async-data.js';

interface RowsProps<T> {
  readonly label: string;
  readonly items: readonly T[];
  /** Pixels; all rows are as high. */
  readonly height: number;
  readonly head?: ComponentChildren;
  readonly row: (item: T, index: number) => VNode;
  /** The last rows are near. */
  readonly onEnd?: (() => void) | undefined;
  readonly class?: string;
}

/** Rows drawn above and below what is in sight. */
const margin = 12;

export function Rows<T>({ label, items, height, head, row, onEnd, class: more = '' }: RowsProps<T>) {
  const body = useRef<HTMLDivElement>(null);
  // What fills the window at once; rows beyond it come after the first picture.
  const [sight, setSight] = useState(() => ({ first: 0, count: Math.ceil(innerHeight / height) }));
  useEffect(() => {
    let waiting = 0;
    const look = (): void => {
      waiting = 0;
      if (!body.current) return;
      const { top } = body.current.getBoundingClientRect();
      const first = Math.max(0, Math.floor(-top / height) - margin);
      const count = Math.ceil(innerHeight / height) + 2 * margin;
      setSight(before => (before.first === first && before.count === count ? before : { first, count }));
    };
    const soon = (): void => {
      waiting ||= requestAnimationFrame(look);
    };
    look();
    // Rows may stand in a box that scrolls separately: such events reach the window only while they are captured.
    addEventListener('scroll', soon, { passive: true, capture: true });
    addEventListener('resize', soon);
    return () => {
      removeEventListener('scroll', soon, { capture: true });
      removeEventListener('resize', soon);
      cancelAnimationFrame(waiting);
    };
  }, [height]);
  const first = Math.min(sight.first, Math.max(0, items.length - sight.count));
  const last = Math.min(items.length, first + sight.count);
  useEffect(() => {
    if (last >= items.length - margin) onEnd?.();
  }, [last, items.length, onEnd]);
  return (
    <div class={`rows ${more}`} role="table" aria-label={label} aria-rowcount={items.length + (head ? 1 : 0)}>
      {head && (
        <div class="rows-head" role="rowgroup">
          {head}
        </div>
      )}
      <div role="rowgroup" ref={body} style={{ paddingTop: `${first * height}px`, paddingBottom: `${(items.length - last) * height}px` }}>
        {items.slice(first, last).map((item, i) => row(item, first + i))}
      </div>
    </div>
  );
}

interface PagedRowsProps<T> extends Omit<RowsProps<T>, 'onEnd'> {
  readonly pages: Omit<Pages<unknown>, 'items' | 'reload'>;
  readonly empty: VNode;
}

/** Rows of a list that grows by scrolling. */
export function PagedRows<T>({ pages, items, empty, ...rows }: PagedRowsProps<T>) {
  const { state, error, more } = pages;
  if (state === 'loading' && items.length === 0) return <LoadingRows height={rows.height} head={rows.head} />;
  if (state === 'failed' && items.length === 0) return <Failed error={error} retry={more} />;
  if (items.length === 0 && state === 'whole') return empty;
  return (
    <>
      <Rows {...rows} items={items} onEnd={state === 'more' ? more : undefined} />
      {state === 'failed' && <FailedPage error={error} retry={more} />}
      {state === 'more' && (
        <div class="card-body" role="status">
          <span class="muted small">Loading more…</span>
        </div>
      )}
    </>
  );
}

function FailedPage({ error, retry }: { readonly error: unknown; readonly retry: () => void }) {
  return (
    <div class="card-body">
      <Alert>
        {messageOf(error)} <Retry error={error} retry={retry} />
      </Alert>
    </div>
  );
}
