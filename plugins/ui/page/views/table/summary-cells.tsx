/** Cells of a row about a column: what all its values are like, or what the file itself says of them. */
import { grouped } from '@srv/lib-page/page';
import { CellText } from './cell-text.js';
import { Distribution } from './distribution.js';
import type { ColumnSummary } from '@srv/lib-records/tables/column-summary';
import type { Cell } from '@srv/lib-records/tables/table-file';
import type { ShownColumn } from '@srv/lib-records/tables/table-protocol';

const titles = ['Nulls', 'Distinct', 'Least', 'Greatest', 'Values'];

/** @param before titles of the columns that come before these. @param after of those after them. */
export function SummaryHead({ before, after = [] }: { readonly before: readonly string[]; readonly after?: readonly string[] }) {
  return (
    <thead>
      <tr>
        {[...before, ...titles, ...after].map(title => (
          <th key={title} scope="col">
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface SummaryCellsProps {
  /** Of the column, and of its side. */
  readonly name: string;
  readonly summary: ColumnSummary | undefined;
  readonly facts?: ShownColumn['facts'];
}

export function SummaryCells({ name, summary, facts = {} }: SummaryCellsProps) {
  const nulls = summary?.nulls ?? facts.nulls;
  const [least, greatest] = summary ? [summary.least, summary.greatest] : [facts.least, facts.greatest];
  return (
    <>
      <td class="number">{nulls === undefined ? '' : grouped(nulls)}</td>
      <td class="number">
        {summary && !summary.isExact ? 'about ' : ''}
        {summary ? grouped(summary.distinct) : ''}
      </td>
      <Limit value={least} />
      <Limit value={greatest} />
      <td class="distribution">{summary && <Distribution name={name} summary={summary} />}</td>
    </>
  );
}

function Limit({ value }: { readonly value: Cell | undefined }) {
  return (
    <td title={value ?? ''}>
      <CellText cell={value} />
    </td>
  );
}
