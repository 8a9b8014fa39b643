/** What the columns of a table are like: what the file says at once, the rest from all rows. */
import { Button, shownName } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { SummaryCells, SummaryHead } from './summary-cells.js';
import { useServerSummaries } from './use-server-summaries.js';
import { useSummaries } from './use-summaries.js';
import { WorkStatus } from './work-status.js';
import type { TableObject, TableShape } from '@srv/lib-records/tables/table-protocol';
import type { Work } from './use-work.js';

/** Bytes that are read without being asked for. */
const small = 16 * 1024 * 1024;

export function ColumnSummaries({ object, shape }: { readonly object: TableObject; readonly shape: TableShape }) {
  const isLarge = object.size > small;
  const [isWanted, setIsWanted] = useState(!isLarge);
  const server = useServerSummaries(object, isLarge ? shape.columns.length : 0);
  const computed = server.state === 'ready' ? server.value : undefined;
  // Two at once, where the columns are stored apart.
  const [first, second] = halves(shape, object);
  const parts = [useSummaries(object, isWanted ? first : []), useSummaries(object, isWanted ? second : [])];
  return (
    <>
      {isLarge && server.state === 'loading' && (
        <div class="card-head muted small" role="status">
          Looking at all rows, on the server…
        </div>
      )}
      {!isWanted && server.state !== 'loading' && !computed && (
        <div class="card-head">
          <span class="muted small grow">What the file itself says about its columns. The rest takes reading all of it.</span>
          <Button icon="chart" onClick={() => setIsWanted(true)}>
            Look at all rows
          </Button>
        </div>
      )}
      <WorkStatus work={bothOf(parts.map(({ work }) => work))} what="Looking at all rows" />
      <div class="scroll" tabIndex={0} role="region" aria-label="Columns of the table">
        <table class="grid-table columns-table">
          <SummaryHead before={['Column', 'Type']} />
          <tbody>
            {shape.columns.map((column, i) => (
              <tr key={i}>
                <th scope="row">{shownName(column.name)}</th>
                <td class="muted">{column.type ?? ''}</td>
                <SummaryCells
                  name={column.name}
                  summary={computed?.[i] ?? parts.map(({ found }) => found.get(i)).find(summary => summary !== undefined)}
                  facts={column.facts}
                />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function halves({ columns }: TableShape, { format }: TableObject): readonly [readonly number[], readonly number[]] {
  const all = columns.map((_, i) => i);
  if (format !== 'parquet' && format !== 'arrow') return [all, []];
  return [all.filter(i => i % 2 === 0), all.filter(i => i % 2 === 1)];
}

/** As one work: what went wrong is shown before what runs, and that before what is done. */
function bothOf(works: readonly Work<number>[]): Work<number> {
  const halted = works.filter(work => work.state === 'failed' || work.state === 'stopped');
  const [first] = halted.toSorted((a, b) => a.state.localeCompare(b.state));
  const start = (): void => {
    for (const work of halted) work.start();
  };
  if (first) return { ...first, start };
  const running = works.filter(work => work.state === 'running');
  const [one] = running;
  if (!one) return { state: 'idle' };
  const share = (running.reduce((sum, { progress }) => sum + progress.share, 0) + works.length - running.length) / works.length;
  const stop = (): void => {
    for (const work of running) work.stop();
  };
  return { state: 'running', progress: { ...one.progress, share }, stop };
}
