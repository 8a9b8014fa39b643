/** What columns of a table are like, one after the other. */
import { useState } from 'preact/hooks';
import { useWork } from './use-work.js';
import type { ColumnSummary } from '@srv/lib-records/tables/column-summary';
import type { Progress, TableObject } from '@srv/lib-records/tables/table-protocol';
import type { Work } from './use-work.js';

interface Summaries {
  /** By number of the column, as far as they are known. */
  readonly found: ReadonlyMap<number, ColumnSummary>;
  readonly work: Work<number>;
}

/** @param columns none: nothing is read. */
export function useSummaries(object: TableObject, columns: readonly number[]): Summaries {
  const [found, setFound] = useState<ReadonlyMap<number, ColumnSummary>>(new Map());
  const note = ({ done }: Progress): void => {
    if (done) setFound(known => new Map(known).set(done.column, done.summary));
  };
  const work = useWork({ objects: [object], name: 'summarize', input: columns.length > 0 ? { columns } : undefined, onProgress: note });
  return { found, work };
}
