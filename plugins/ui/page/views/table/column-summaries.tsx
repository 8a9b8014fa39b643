/** What the columns of a table are like: what the file says at once, the rest from all rows. */
import { Button, grouped, shownName } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { CellText } from './cell-text.js';
import { Distribution } from './distribution.js';
import { useWork } from './use-work.js';
import { WorkStatus } from './work-status.js';
import type { ColumnSummary } from '@srv/lib-records/tables/column-summary';
import type { Cell } from '@srv/lib-records/tables/table-file';
import type { Progress, ShownColumn, TableObject, TableShape } from '@srv/lib-records/tables/table-protocol';
import type { Work } from './use-work.js';

/** Bytes that are read without being asked for. */
const small = 16 * 1024 * 1024;

export function ColumnSummaries({ object, shape }: { readonly object: TableObject; readonly shape: TableShape }) {
  const [isWanted, setIsWanted] = useState(object.size <= small);
  const [found, setFound] = useState<ReadonlyMap<number, ColumnSummary>>(new Map());
  const note = ({ done }: Progress): void => {
    if (done) setFound(known => new Map(known).set(done.column, done.summary));
  };
  // Two at once, where the columns are stored apart.
  const [first, second] = halves(shape, object);
  const works = [
    useWork({ objects: [object], name: 'summarize', input: isWanted ? { columns: first } : undefined, onProgress: note }),
    useWork({
      objects: [object],
      name: 'summarize',
      input: isWanted && second.length > 0 ? { columns: second } : undefined,
      onProgress: note,
    }),
  ];
  return (
    <>
      {!isWanted && (
        <div class="card-head">
          <span class="muted small grow">What the file itself says about its columns. The rest takes reading all of it.</span>
          <Button icon="chart" onClick={() => setIsWanted(true)}>
            Look at all rows
          </Button>
        </div>
      )}
      <WorkStatus work={bothOf(works)} what="Looking at all rows" />
      <div class="scroll" tabIndex={0} role="region" aria-label="Columns of the table">
        <table class="grid-table columns-table">
          <thead>
            <tr>
              {['Column', 'Type', 'Nulls', 'Distinct', 'Least', 'Greatest', 'Values'].map(title => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shape.columns.map((column, i) => (
              <ColumnRow key={i} column={column} summary={found.get(i)} />
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

function ColumnRow({
  column: { name, type, facts = {} },
  summary,
}: {
  readonly column: ShownColumn;
  readonly summary: ColumnSummary | undefined;
}) {
  const nulls = summary?.nulls ?? facts.nulls;
  const [least, greatest] = summary ? [summary.least, summary.greatest] : [facts.least, facts.greatest];
  return (
    <tr>
      <th scope="row">{shownName(name)}</th>
      <td class="muted">{type ?? ''}</td>
      <td class="number">{nulls === undefined ? '' : grouped(nulls)}</td>
      <td class="number">
        {summary && !summary.isExact ? 'about ' : ''}
        {summary ? grouped(summary.distinct) : ''}
      </td>
      <Limit value={least} />
      <Limit value={greatest} />
      <td class="distribution">{summary && <Distribution name={name} summary={summary} />}</td>
    </tr>
  );
}

function Limit({ value }: { readonly value: Cell | undefined }) {
  return (
    <td title={value ?? ''}>
      <CellText cell={value} />
    </td>
  );
}
