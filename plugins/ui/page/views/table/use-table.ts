/** A table that is open while its view is there. */
import { useEffect, useState } from 'preact/hooks';
import { TableClient } from '../../tables/table-client.js';
import type { TableObject, TableShape } from '@srv/lib-records/tables/table-protocol';

export interface OpenTable {
  readonly client: TableClient;
  readonly shape: TableShape;
  /** Rows and columns that are known by now. */
  readonly setShape: (shape: TableShape) => void;
}

export type TableState =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'ready'; readonly client: TableClient; readonly shape: TableShape };

export function useTable(
  object: TableObject,
): TableState & { readonly reload: () => void; readonly setShape: (shape: TableShape) => void } {
  const [state, setState] = useState<TableState>({ state: 'loading' });
  const [turn, setTurn] = useState(0);
  const { repository, ref, path, size, format, parts } = object;
  useEffect(() => {
    const client = new TableClient();
    let isClosed = false;
    setState({ state: 'loading' });
    client.open(object).then(
      shape => {
        if (!isClosed) setState({ state: 'ready', client, shape });
      },
      (error: unknown) => {
        if (!isClosed) setState({ state: 'failed', error });
      },
    );
    return () => {
      isClosed = true;
      client.end();
    };
  }, [repository, ref, path, size, format, parts, turn]);
  const setShape = (shape: TableShape): void =>
    setState(old => (old.state === 'ready' && isNews(old.shape, shape) ? { ...old, shape } : old));
  return { ...state, reload: () => setTurn(turn + 1), setShape };
}

function isNews(old: TableShape, now: TableShape): boolean {
  return JSON.stringify(old) !== JSON.stringify(now);
}
