/** The number of rows of a text, which is known when all of it was read: at once where it is small, else when it is wanted. */
import { useEffect, useState } from 'preact/hooks';
import type { TableObject } from '@srv/lib-records/tables/table-protocol';
import type { OpenTable } from './use-table.js';
import type { Work } from './use-work.js';

/** Bytes that are read without being asked for. */
const small = 64 * 1024 * 1024;

export function useCount(
  { size }: TableObject,
  { client, shape, setShape }: OpenTable,
): { readonly work: Work<undefined>; readonly start: () => void } {
  const [work, setWork] = useState<Work<undefined>>({ state: 'idle' });
  const start = (): void => {
    // The rows in sight come from the same worker: it cannot be stopped without losing them.
    const stop = (): void => undefined;
    setWork({ state: 'running', progress: { share: 0 }, stop });
    client
      .ask('complete', { table: 0 }, progress => setWork({ state: 'running', progress, stop }))
      .then(
        known => {
          setShape(known);
          setWork({ state: 'ready', value: undefined });
        },
        (error: unknown) => {
          if (!(error instanceof DOMException)) setWork({ state: 'failed', error, start });
        },
      );
  };
  useEffect(() => {
    if (shape.total === undefined && size <= small) start();
  }, [client]);
  return { work, start };
}
