/** Programs in Python that speak the protocol. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { faceKey } from '@srv/lib-api/testing';
import type { CatalogServer } from './server.js';

const python = process.env['SRV_TEST_PYTHON'];
const run = promisify(execFile);

/** Runs a program with `catalog` and `duck` at hand; what it prints is JSON. */
export async function script(server: CatalogServer, lines: string): Promise<unknown> {
  const { accessKeyId, secretAccessKey } = faceKey;
  const prelude = `
import json, sys
url, key, secret = sys.argv[1:4]
def catalog():
    from pyiceberg.catalog import load_catalog
    return load_catalog('srv', type='rest', uri=url + '/iceberg/api', credential=key + ':' + secret)
def duck(ref):
    import duckdb, duckdb_extensions
    connection = duckdb.connect()
    for name in ('httpfs', 'avro', 'iceberg'): duckdb_extensions.import_extension(name)
    connection.execute('LOAD httpfs'); connection.execute('LOAD iceberg')
    connection.execute(f"CREATE SECRET s (TYPE iceberg, CLIENT_ID '{key}', CLIENT_SECRET '{secret}', OAUTH2_SERVER_URI '{url}/iceberg/api/v1/oauth/tokens')")
    connection.execute(f"ATTACH '' AS lake (TYPE iceberg, SECRET s, ENDPOINT '{url}/iceberg/relative_to/lake.{ref}/api')")
    return connection
`;
  const { stdout } = await run(String(python), ['-c', prelude + lines, server.url, accessKeyId, secretAccessKey], { maxBuffer: 1 << 24 });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? 'null');
}

const has = async (module: string): Promise<boolean> =>
  python !== undefined &&
  run(python, ['-c', `import ${module}`]).then(
    () => true,
    () => false,
  );
/** @returns why tests that need these modules are skipped. */
export const isMissing = async (...modules: readonly string[]): Promise<string | false> =>
  (await Promise.all(modules.map(has))).every(Boolean) ? false : `needs Python with ${modules.join(', ')} (SRV_TEST_PYTHON)`;
