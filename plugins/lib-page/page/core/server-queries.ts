/** Queries in SQL that the server runs. */
import { offers } from './boot.js';
import { ask } from './client.js';

/** Whether the server runs queries: it has the operation, and its engine is installed. */
export async function serverRunsQueries(signal: AbortSignal): Promise<boolean> {
  if (!offers('runMDSQuery')) return false;
  const { capabilities_config: capabilities } = (await ask('getConfig', {}, { signal })) as {
    readonly capabilities_config?: { readonly iceberg_query?: boolean };
  };
  return capabilities?.iceberg_query === true;
}
