/** Programs in Python that speak the protocol. */
import { scratchFolder } from '@srv/kernel/testing';
import { faceKey } from '@srv/lib-api/testing';
import { PythonProcess, findPython } from '@srv/test-servers/python';
import type { CatalogServer } from './server.js';

const python = process.env['SRV_TEST_PYTHON'];

/** Takes programs as lines of JSON: importing the libraries takes longer than most programs. */
const interpreter = `
import contextlib, io, json, os, sys, traceback
url, key, secret = sys.argv[1:4]
# Libraries that print, such as bars of progress, do so elsewhere.
answers = os.fdopen(os.dup(1), 'w')
os.dup2(2, 1)
def catalog():
    from pyiceberg.catalog import load_catalog
    return load_catalog('srv', type='rest', uri=url + '/iceberg/api', credential=key + ':' + secret)
def duck(ref, repository='lake'):
    import duckdb, duckdb_extensions
    connection = duckdb.connect(config={'home_directory': os.getcwd()})
    for name in ('httpfs', 'avro', 'iceberg'): duckdb_extensions.import_extension(name, con=connection)
    connection.execute('LOAD httpfs'); connection.execute('LOAD iceberg')
    connection.execute(f"CREATE SECRET s (TYPE iceberg, CLIENT_ID '{key}', CLIENT_SECRET '{secret}', OAUTH2_SERVER_URI '{url}/iceberg/api/v1/oauth/tokens')")
    connection.execute(f"ATTACH '' AS lake (TYPE iceberg, SECRET s, ENDPOINT '{url}/iceberg/relative_to/{repository}.{ref}/api')")
    return connection
for line in sys.stdin:
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(json.loads(line)[0], {'json': json, 'sys': sys, 'catalog': catalog, 'duck': duck, 'url': url, 'key': key, 'secret': secret})
        answer = {'printed': printed.getvalue()}
    except BaseException:
        answer = {'error': traceback.format_exc()}
    print(json.dumps(answer), file=answers, flush=True)
`;
let running: { readonly url: string; readonly process: PythonProcess } | undefined;

interface ScriptedServer extends Pick<CatalogServer, 'url'> {
  /** Default: that of servers of this package's tests. */
  readonly key?: typeof faceKey;
}

/** Runs a program with `catalog` and `duck` at hand; what it prints is JSON. */
export async function script(server: ScriptedServer, lines: string): Promise<unknown> {
  const { accessKeyId, secretAccessKey } = server.key ?? faceKey;
  if (running?.url !== server.url) await endScripts();
  running ??= {
    url: server.url,
    process: new PythonProcess(String(python), ['-c', interpreter, server.url, accessKeyId, secretAccessKey], scratchFolder()),
  };
  const printed = await running.process.call([lines]);
  return JSON.parse(printed.trim().split('\n').at(-1) ?? 'null');
}

/** Ends what `script` keeps for the next program. */
export async function endScripts(): Promise<void> {
  const { process } = running ?? {};
  running = undefined;
  await process?.end();
}

/** @returns why tests that need these modules are skipped. */
export const isMissing = (...modules: readonly string[]): string | false =>
  python !== undefined && findPython(...modules) !== undefined ? false : `needs Python with ${modules.join(', ')} (SRV_TEST_PYTHON)`;
