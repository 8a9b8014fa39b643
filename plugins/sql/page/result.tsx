/** What a script gave: rows, and the files it wrote. */
import { Alert, Button, DataTable, messageOf, notify, sizeText } from '@srv/lib-page/page';
import { saveAs } from './save-as.js';
import { exported } from './session.js';
import type { Outcome } from './session.js';

export function Result({ outcome: { result, written } }: { readonly outcome: Outcome }) {
  const download = (kind: 'csv' | 'parquet'): void => {
    exported(kind).then(
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
      {result && <DataTable columns={result.columns} rows={result.rows} whole={result.rows.length >= result.total} total={result.total} />}
      {result?.isKept && (
        <div class="card-body">
          <div class="toolbar">
            <Button icon="download" onClick={() => download('csv')}>
              Download CSV
            </Button>
            <Button icon="download" onClick={() => download('parquet')}>
              Download Parquet
            </Button>
            <span class="muted small">Computed in this browser by DuckDB.</span>
          </div>
        </div>
      )}
    </>
  );
}
