/** Parquet, read by ranges: its footer first, then the row groups that are looked at. */
import { useState } from 'preact/hooks';
import { parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { useAnswer } from '../../core/answer.js';
import { send } from '../../core/client.js';
import { Button } from '../../parts/button.js';
import { Loading, With } from '../../parts/states.js';
import { DataTable } from './data-table.js';
import type { AsyncBuffer } from 'hyparquet';
import type { ShownObject } from '../../core/registry.js';

const step = 1000;

/** The object as the reader asks for it. */
function bufferOf({ repository, ref, path, size }: ShownObject, signal: AbortSignal): AsyncBuffer {
  return {
    byteLength: size,
    async slice(start, end = size) {
      const response = await send('getObject', { repository, ref, path, Range: `bytes=${start}-${end - 1}` }, { signal });
      return response.arrayBuffer();
    },
  };
}

export function ParquetView({ object }: { readonly object: ShownObject }) {
  const [wanted, setWanted] = useState(step);
  const table = useAnswer(
    async signal => {
      const file = bufferOf(object, signal);
      const metadata = await parquetMetadataAsync(file);
      const columns = parquetSchema(metadata).children.map(({ element: { name, type, converted_type: converted } }) => ({
        name,
        type: (converted ?? type ?? 'group').toLowerCase(),
      }));
      const total = Number(metadata.num_rows);
      const rows = await parquetReadObjects({ file, metadata, compressors, rowStart: 0, rowEnd: Math.min(total, wanted) });
      return { columns, total, rows: rows.map(row => columns.map(({ name }) => row[name])) };
    },
    [object.url, wanted],
  );
  if (table.state === 'loading') return <Loading />;
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
