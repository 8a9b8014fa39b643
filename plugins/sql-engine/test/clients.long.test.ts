/** Clients of others: the published SDK asks, PyArrow reads the answer. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findPython, runPython } from '@srv/test-servers/python';
import { openServer, repository } from './support.js';

const python = findPython('lakefs_enterprise_sdk', 'pyarrow.parquet');
const missing = python === undefined ? 'needs Python with lakefs-enterprise-sdk and pyarrow' : false;

const program = `
import io, json, sys, warnings
warnings.simplefilter("ignore")
import lakefs_enterprise_sdk as sdk
import pyarrow.parquet as parquet

endpoint, key, secret = sys.argv[1:]
client = sdk.ApiClient(sdk.Configuration(host=endpoint + "/api/v1", username=key, password=secret))
api = sdk.MetadataApi(client)

def run(sql):
    return parquet.read_table(io.BytesIO(api.run_mds_query(sdk.MDSQueryRequest(sql=sql))))

def refusal(sql):
    try:
        run(sql)
    except sdk.ApiException as error:
        return [error.status, json.loads(error.body)["message"]]

table = run("SELECT * FROM lakes.main.system.object_metadata ORDER BY path")
rows = table.to_pylist()
print(json.dumps({
    "query": sdk.ConfigApi(client).get_config().capabilities_config.iceberg_query,
    "types": {field.name: str(field.type).split(" (")[0] for field in table.schema},
    "rows": [{**row, "last_modified": row["last_modified"].isoformat(), "user_metadata": dict(row["user_metadata"])} for row in rows],
    "empty": run("SELECT * FROM lakes.main.system.object_journal WHERE false").num_rows,
    "refused": [refusal("SELECT bogus"), refusal("FROM nowhere.main.system.object_metadata")],
}))
`;

it('lakefs-enterprise-sdk runs queries, and PyArrow reads the answers', { skip: missing }, async t => {
  const { engine, url, key } = await openServer(t);
  await engine.putObject(repository, 'main', 'a.png', Buffer.from('12345'), { contentType: 'image/png', metadata: { label: 'cat' } });
  await engine.putObject(repository, 'main', 'b', Buffer.from('1'));
  const { id } = await engine.commit(repository, 'main', { committer: 'ann', message: 'two' });
  const found = JSON.parse(await runPython(python ?? '', ['-c', program, url, key.accessKeyId, key.secretAccessKey])) as {
    readonly query: boolean;
    readonly types: object;
    readonly rows: readonly object[];
    readonly empty: number;
    readonly refused: readonly [number, string][];
  };
  assert.equal(found.query, true);
  assert.deepEqual(found.types, {
    repository: 'string',
    path: 'string',
    commit_id: 'string',
    size: 'int64',
    last_modified: 'timestamp[us]',
    etag: 'string',
    // PyArrow says the name of the column in it, too.
    user_metadata: 'map<string, string',
    committer: 'string',
    content_type: 'string',
  });
  const [a, b] = await Promise.all(['a.png', 'b'].map(path => engine.getEntry(repository, 'main', path)));
  const row = (entry: typeof a, path: string, more: object) => ({
    repository,
    path,
    commit_id: id,
    last_modified: entry?.lastModified.toISOString().replace(/(\.\d+)Z$/, '$1000'),
    etag: entry?.etag,
    committer: 'ann',
    ...more,
  });
  assert.deepEqual(found.rows, [
    row(a, 'a.png', { size: 5, user_metadata: { label: 'cat' }, content_type: 'image/png' }),
    row(b, 'b', { size: 1, user_metadata: {}, content_type: 'application/octet-stream' }),
  ]);
  assert.equal(found.empty, 0);
  assert.deepEqual(
    found.refused.map(([status]) => status),
    [400, 404],
  );
  assert.match(found.refused[0]?.[1] ?? '', /bogus/);
});
