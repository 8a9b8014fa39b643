/** Parquet as a table. */

import { Button, With, useAsync } from '@srv/lib-page/page';
import { useState } from 'preact/hooks';
import { DataTable } from './data-table.js';
import { readTable } from './read-parquet.js';
import type { ShownObject } from '@srv/lib-page/page';

const step = 1000;

export function ParquetView({ object }: { readonly object: ShownObject }) {
  const [wanted, setWanted] = useState(step);
  const table = useAsync(signal => readTable(object, wanted, signal), [object.url, wanted]);
  return (
    <With answer={table}>
      {({ columns, rows, total }) => (
        <>
          <DataTable columns={columns} rows={rows} whole={rows.length >= total} total={total} />
          {rows.length < total && (
            <div class="card-body">
              <Button onClick={() => setWanted(wanted + step * 4)}>Load {step * 4} more rows</Button>
            </div>
          )}
        </>
      )}
    </With>
  );
}
