/** The first rows of a table, where the server runs SQL. */
import { Button, DataTable, With, ownValue, rowsOnServer, serverRunsQueries, useAsync } from '@srv/lib-page/page';
import { quotedName } from '@srv/lib-records/tables/sql/completion';
import { useState } from 'preact/hooks';
import type { ShownTable } from './shapes.js';

interface PreviewProps {
  readonly repository: string;
  readonly ref_: string;
  readonly table: ShownTable;
}

/** Rows that are shown. */
const most = 100;

export function Preview({ repository, ref_: ref, table }: PreviewProps) {
  const [isAsked, setAsked] = useState(false);
  const runs = useAsync(serverRunsQueries, []);
  if (runs.state !== 'ready' || !runs.value) return null;
  return (
    <section class="card" aria-label="Rows">
      <div class="card-head">
        <h2 class="grow">Rows</h2>
        {!isAsked && (
          <Button icon="database" onClick={() => setAsked(true)}>
            Show Rows
          </Button>
        )}
      </div>
      {isAsked && <FirstRows repository={repository} ref_={ref} table={table} />}
    </section>
  );
}

function FirstRows({ repository, ref_: ref, table }: PreviewProps) {
  const name = [repository, ref, ...table.namespace, table.name].map(quotedName).join('.');
  // One more than is shown: whether there are more.
  const rows = useAsync(signal => rowsOnServer(`SELECT * FROM ${name}`, { signal, limit: most + 1 }), [name, table.metadata_location]);
  return (
    <With answer={rows}>
      {found => (
        <DataTable
          columns={table.fields.map(({ name: column, type }) => ({ name: column, type, isNumeric: numeric.has(type) }))}
          rows={found.slice(0, most).map(row => table.fields.map(field => ownValue(row, field.name) ?? null))}
          whole={found.length <= most}
          label="First rows"
        />
      )}
    </With>
  );
}

const numeric = new Set(['int', 'long', 'float', 'double']);
