/** Queries that the server runs, where its engine is installed: whole files of any size, with the rights of the user. */
import { send } from '@srv/lib-page/page';
import type { Outcome } from './session.js';

/** Rows that are shown. */
const shown = 1000;

/** @throws Refusal with what the engine or the server says. */
export async function runOnServer(sql: string, signal: AbortSignal): Promise<Outcome> {
  if (sql.trim() === '') throw new Error('There is nothing to run: write a query.');
  const { memorySource, openTable } = await import('./tables.js');
  // One more than is shown: whether there are more.
  const bytes = await (await query(sql, 'parquet', { signal, limit: shown + 1 })).arrayBuffer();
  const table = await openTable('parquet', memorySource(new Uint8Array(bytes)));
  const rows = await table.cells(0, shown, [...table.columns.keys()]);
  const total = (table.total ?? 0) > shown ? undefined : table.total;
  const columns = table.columns.map(({ name, type = '', isNumeric }) => ({ name, type, isNumeric }));
  return {
    result: { columns, rows, total },
    written: [],
    by: 'on the server',
    exportAs: async format => (await query(sql, format, { signal: new AbortController().signal })).blob(),
  };
}

function query(
  sql: string,
  format: 'csv' | 'parquet',
  { signal, limit }: { readonly signal: AbortSignal; readonly limit?: number },
): Promise<Response> {
  return send('runMDSQuery', { body: { sql, format, ...(limit === undefined ? {} : { limit }) } }, { signal });
}
