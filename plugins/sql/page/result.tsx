/** What a script gave: rows, and the files it wrote. */
import { Alert, Button, DataTable, messageOf, notify, sizeText } from '@srv/lib-page/page';
import { saveAs } from './save-as.js';
import type { Outcome } from './session.js';

export function Result({ outcome: { result, written, exportAs, by } }: { readonly outcome: Outcome }) {
  const download = (kind: 'csv' | 'parquet'): void => {
    exportAs?.(kind).then(
      content => saveAs(content, `result.${kind}`),
      (error: unknown) => notify(messageOf(error)),
    );
  };
  return (
    <>
      {(written.length > 0 || !result) && (
        <div class="card-body">
          <Alert kind="note">
            {written.length === 0
              ? 'Done.'
              : written.map(({ address, size }) => <p key={address}>{`Wrote ${sizeText(size)} to ${address}.`}</p>)}
          </Alert>
        </div>
      )}
      {result && (
        <DataTable
          columns={result.columns}
          rows={result.rows}
          whole={result.total !== undefined && result.rows.length >= result.total}
          total={result.total}
        />
      )}
      {exportAs && (
        <div class="card-body">
          <div class="toolbar">
            <Button icon="download" onClick={() => download('csv')}>
              Download CSV
            </Button>
            <Button icon="download" onClick={() => download('parquet')}>
              Download Parquet
            </Button>
            <span class="muted small">Computed {by} by DuckDB.</span>
          </div>
        </div>
      )}
    </>
  );
}
