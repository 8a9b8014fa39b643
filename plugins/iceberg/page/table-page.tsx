/** One table: columns, partitions, snapshots, properties. */
import { Copy, DataTable, Icon, RefName, Time, With, ask, shownName, to, useAsync } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { Preview } from './preview.js';
import { RollBack } from './roll-back.js';
import { pointerPath } from './shapes.js';
import type { ComponentChildren } from 'preact';
import type { ShownTable } from './shapes.js';

interface TablePageProps {
  readonly repository: string;
  readonly ref_: string;
  /** With its namespace. */
  readonly name: string;
}

export function TablePage({ repository, ref_: ref, name }: TablePageProps) {
  const [reads, setReads] = useState(0);
  const table = useAsync(
    async signal => (await ask('getTable', { repository, ref, name }, { signal })) as ShownTable,
    [repository, ref, name, reads],
  );
  const again = (): void => setReads(reads + 1);
  return <With answer={table}>{found => <Shown repository={repository} ref_={ref} table={found} onChange={again} />}</With>;
}

interface ShownProps extends Omit<TablePageProps, 'name'> {
  readonly table: ShownTable;
  readonly onChange: () => void;
}

function Shown({ repository, ref_: ref, table, onChange }: ShownProps) {
  const { fields, snapshots, current_snapshot_id: currentId } = table;
  const current = snapshots.find(({ snapshot_id: id }) => id === currentId);
  const properties = Object.entries(table.properties);
  return (
    <>
      <section class="card" aria-label="Table">
        <div class="card-head">
          <h2 class="grow">{shownName(table.name)}</h2>
          <RollBack repository={repository} ref_={ref} table={table} onDone={onChange} />
          <a class="button" href={to('repositories', repository, 'commits', { ref, object: pointerPath(table) })}>
            <Icon name="history" /> Commits
          </a>
        </div>
        <dl class="card-body facts">
          <Fact name="Namespace">{shownName(table.namespace.join('.'))}</Fact>
          <Fact name="Rows">{current?.records ?? (current ? 'not counted' : '0')}</Fact>
          <Fact name="Data files">{current?.data_files ?? (current ? 'not counted' : '0')}</Fact>
          <Fact name="Partitioned by">
            {table.partitioned_by.length === 0 ? 'nothing' : table.partitioned_by.map(shownName).join(', ')}
          </Fact>
          <Fact name="Format version">{table.format_version}</Fact>
          {current && (
            <Fact name="Changed">
              <Time seconds={current.creation_date} />
            </Fact>
          )}
          <Fact name="Metadata file">
            <code class="break">{shownName(table.metadata_location)}</code>{' '}
            <Copy text={table.metadata_location} what="address of the metadata file" />
          </Fact>
        </dl>
      </section>
      <Preview repository={repository} ref_={ref} table={table} />
      <Rows
        title="Columns"
        columns={['Name', 'Type', 'Required', 'Id']}
        rows={fields.map(field => [field.name, field.type, field.required, field.id])}
      />
      <Rows
        title="Snapshots"
        columns={['Snapshot', 'Time', 'Operation', 'Rows', 'Data files', 'Parent', 'Current']}
        rows={snapshots
          .toReversed()
          .map(each => [
            each.snapshot_id,
            new Date(each.creation_date * 1000).toISOString(),
            each.operation ?? null,
            each.records ?? null,
            each.data_files ?? null,
            each.parent_snapshot_id ?? null,
            each.snapshot_id === currentId ? 'yes' : '',
          ])}
      />
      {properties.length > 0 && <Rows title="Properties" columns={['Property', 'Value']} rows={properties} />}
      <p class="muted small">
        At <RefName id={ref} />. Rows are read by engines, at <code>/iceberg/api</code>.
      </p>
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt class="muted small">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface RowsProps {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

function Rows({ title, columns, rows }: RowsProps) {
  return (
    <section class="card" aria-label={title}>
      <div class="card-head">
        <h2>{title}</h2>
      </div>
      <DataTable columns={columns.map(name => ({ name }))} rows={rows} whole label={`Rows: ${title}`} />
    </section>
  );
}
