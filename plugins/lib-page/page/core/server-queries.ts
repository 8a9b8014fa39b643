/** Queries in SQL that the server runs. */
import { offers } from './boot.js';
import { ask, send } from './client.js';

/** Whether the server runs queries: it has the operation, and its engine is installed. */
export async function serverRunsQueries(signal: AbortSignal): Promise<boolean> {
  if (!offers('runMDSQuery')) return false;
  const { capabilities_config: capabilities } = (await ask('getConfig', {}, { signal })) as {
    readonly capabilities_config?: { readonly iceberg_query?: boolean };
  };
  return capabilities?.iceberg_query === true;
}

interface QueryOptions {
  readonly signal: AbortSignal;
  /** Further rows are left out. */
  readonly limit?: number;
}

/** Rows of a query by the names of their columns, on a branch with what is not committed. Values are texts, exact whatever their types. */
export async function rowsOnServer(
  sql: string,
  { signal, ...options }: QueryOptions,
): Promise<readonly Readonly<Record<string, string | null>>[]> {
  const response = await send('runMDSQuery', { body: { sql, format: 'text', uncommitted: true, ...options } }, { signal });
  const lines = (await response.text()).split('\n').filter(line => line !== '');
  return lines.map(line => JSON.parse(line) as Record<string, string | null>);
}
