/** PyIceberg's own tests of catalogs, schemas, partitions and writes, on branches: every failure is explained here and in the README. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { scratchFolder } from '@srv/kernel/testing';
import { faceKey } from '@srv/lib-api/testing';
import { isMissing } from './support/python.js';
import { startCatalog } from './support/server.js';
import type { CatalogServer } from './support/server.js';

const python = process.env['SRV_TEST_PYTHON'] ?? '';
/** The source of the release, unpacked beside the interpreter. */
const source = join(dirname(dirname(python)), 'pyiceberg-0.12.0');
const plugin = fileURLToPath(new URL('../../test/pyiceberg', import.meta.url));

/** Test function and why it fails. */
const explained = {
  // The location of a table is chosen by the catalog, and its files are not on the machine of the client.
  test_create_table_with_default_warehouse_location: 'demands a folder of the machine',
  test_create_table_location_override: 'demands a folder of the machine',
  test_create_table_removes_trailing_slash_from_location: 'demands a folder of the machine',
  test_table_writes_metadata_to_custom_location: 'demands a folder of the machine',
  test_delete_metadata_multiple: 'looks for metadata files in a folder of the machine',
  test_register_table: 'registers a file of the machine',
  test_register_existing_table: 'registers a file of the machine',
  test_merge_manifests_file_content: 'demands s3://warehouse',
  test_sanitize_character_partitioned_avro_bug: 'reads at localhost:9000',
  // They are made for the catalogs in memory and in SQLite.
  test_commit_table: 'calls a method of SqlCatalog',
  test_create_tables_idempotency: 'calls a method of SqlCatalog',
  test_catalog_commit_table_applies_schema_updates: 'gives a schema the id of another; the protocol assigns ids',
  test_create_table_without_namespace: 'expects another class of error than the client of REST catalogs raises',
  test_create_namespace_with_null_properties: 'expects an error of SQL',
  test_create_namespace_with_empty_identifier: 'expects 404 for an empty name, which is refused with 400',
  test_load_empty_namespace_properties: 'expects a property that SqlCatalog makes up',
  // They demand the words of those catalogs.
  test_concurrent_commit_table: 'words',
  test_get_namespace_metadata_raises_error_when_namespace_does_not_exist: 'words',
  test_update_namespace_metadata_raises_error_when_namespace_does_not_exist: 'words',
  test_drop_namespace_raises_error_when_namespace_not_empty: 'words',
  test_rest_custom_namespace_separator: 'demands a dot between the parts of a namespace',
  // They need pyiceberg_core as well.
  test_delete_threshold: 'needs pyiceberg_core',
  test_rewrite_manifest_after_partition_evolution: 'needs pyiceberg_core',
};

const suites = [
  'catalog/test_catalog_behaviors.py',
  'integration/test_catalog.py',
  'integration/test_rest_catalog.py',
  'integration/test_rest_schema.py',
  'integration/test_partition_evolution.py',
  'integration/test_sort_order_update.py',
  'integration/test_statistics_operations.py',
  'integration/test_writes',
];

const modules = [
  'pyiceberg',
  'pyarrow',
  'pytest',
  'moto',
  'pytest_lazy_fixtures',
  'pytest_mock',
  'sqlalchemy',
  'thrift',
  'fastavro',
  'pytz',
];
const missing = isMissing(...modules) || (existsSync(source) ? false : `needs the source of the release, ${source}`);

let server: CatalogServer;
before(async () => {
  server = await startCatalog();
});
after(() => server.stop());

interface Outcomes {
  readonly passed: number;
  /** Names of functions. */
  readonly failed: ReadonlySet<string>;
  readonly printed: string;
}

async function runTests(): Promise<Outcomes> {
  const options = [
    '-p',
    'srv_catalog',
    '-p',
    'no:cacheprovider',
    '-o',
    'filterwarnings=',
    '-q',
    '--tb=short',
    `--basetemp=${join(scratchFolder(), 'pytest')}`,
  ];
  const program = spawn(python, ['-m', 'pytest', ...options, ...suites.map(name => join('tests', name))], {
    cwd: source,
    env: {
      ...process.env,
      PYTHONPATH: [plugin, source].join(delimiter),
      PYTHONDONTWRITEBYTECODE: '1',
      SRV_CATALOG: JSON.stringify([server.url, faceKey.accessKeyId, faceKey.secretAccessKey]),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [program.stdout, program.stderr])
    stream.on('data', piece => {
      printed += String(piece);
    });
  await once(program, 'close');
  const outcomes = Object.entries(JSON.parse(printed.trim().split('\n').at(-1) ?? '{}') as Record<string, string>);
  const failed = outcomes.filter(([, outcome]) => outcome === 'failed').map(([id]) => /::(\w+)/.exec(id)?.[1] ?? id);
  return { passed: outcomes.filter(([, outcome]) => outcome === 'passed').length, failed: new Set(failed), printed };
}

test('PyIceberg passes its own tests, but for those that need another catalog or files of the machine', { skip: missing }, async () => {
  const { passed, failed, printed } = await runTests();
  assert.deepEqual([...failed].sort(), Object.keys(explained).sort(), printed.slice(-20_000));
  assert.ok(passed >= 710, `${passed} passed\n${printed.slice(-20_000)}`);
});
