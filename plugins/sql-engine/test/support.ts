/** A server with the plugin and the installed engine. */
import { text } from 'node:stream/consumers';
import { scratchFolder } from '@srv/kernel/testing';
import { ApiError, createClient } from '@srv/lib-api/client';
import { startSrv } from '@srv/test-servers';
import { installedIn } from '@srv/test-servers/packages';
import operations from '../src/operations.js';
import type { TestContext } from 'node:test';
import type {} from '@srv/auth/contract';
import type {} from '@srv/engine/contract';
import type { ResultFormat } from '../src/contract.js';

export const repository = 'lakes';

export const refused = (status: number, message: RegExp) => (error: unknown) =>
  error instanceof ApiError && error.status === status && message.test(error.message);

/** A server with a repository. The folder holds the files of queries. */
export async function openServer(t: Pick<TestContext, 'after'>, config: Readonly<Record<string, unknown>> = {}) {
  const folder = scratchFolder();
  const server = await startSrv({
    plugins: ['search', 'sql-engine', 'metrics'],
    config: {
      'search.period': '10h',
      'search.repositories': { [repository]: 'main' },
      'auth.ui_config.rbac': 'internal',
      'sql_engine.installed_in': installedIn('@duckdb/node-api'),
      'sql_engine.dir': folder,
      ...config,
    },
  });
  t.after(server.stop);
  const clientOf = (key: { readonly accessKeyId: string; readonly secretAccessKey: string }) => {
    const client = createClient({ operations, endpointUrl: server.url, retries: { enabled: false }, ...key });
    t.after(() => client.close());
    return client;
  };
  const client = clientOf(server.key);
  const { services } = server.kernel;
  const engine = services.get('engine');
  await engine.createRepository({ id: repository, storageNamespace: `local://${repository}` });
  const run = async (sql: string, format: ResultFormat, options: { readonly limit?: number; readonly uncommitted?: boolean } = {}) =>
    (await client.runMDSQuery({ body: { sql, format, ...options } })).body;
  /** Rows of a query, as values of JSON. */
  const rows = async (sql: string, options?: { readonly limit?: number; readonly uncommitted?: boolean }) =>
    JSON.parse(await text(await run(sql, 'json', options))) as Record<string, unknown>[];
  const put = (branch: string, path: string, body: string | Uint8Array) => engine.putObject(repository, branch, path, Buffer.from(body));
  return { ...server, folder, client, clientOf, services, engine, run, rows, put };
}
