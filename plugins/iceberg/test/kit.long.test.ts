/** The compatibility kit of the protocol's authors, on a branch: every failure is explained here and in the README. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { faceKey } from '@srv/lib-api/testing';
import { startCatalog } from './support/server.js';
import type { CatalogServer } from './support/server.js';

const kit = process.env['SRV_TEST_ICEBERG_KIT'];
const isThere = kit !== undefined && existsSync(join(kit, 'iceberg-open-api-1.9.2-tests.jar'));

/** They write files to a folder of their machine, which the client for S3 that the kit is run with cannot. */
const explained = ['testCompleteCreateOrReplaceTransactionReplace', 'testCompleteReplaceTransaction'];

/** They choose a folder of their machine as the location of a view; the catalog chooses locations. */
const explainedViews = ['createAndReplaceViewWithLocation', 'createViewWithCustomMetadataLocation', 'updateViewLocation'];

let server: CatalogServer;
before(async () => {
  server = await startCatalog();
});
after(() => server.stop());

async function runKit(folder: string, tests: string): Promise<string> {
  const settings = {
    'rck.local': 'false',
    'rck.overrides-requested-location': 'true',
    'rck.supports-names-with-dot': 'true',
    'rck.requires-namespace-create': 'true',
    'rck.supports-serverside-retry': 'true',
    'rck.purge-test-namespaces': 'true',
    'org.slf4j.simpleLogger.defaultLogLevel': 'error',
  };
  const program = spawn(
    'java',
    [
      // It ends before its code would be worth the better compiler, which took a third of its processor time.
      '-XX:TieredStopAtLevel=1',
      '-XX:+UseSerialGC',
      ...Object.entries(settings).map(([name, value]) => `-D${name}=${value}`),
      '-cp',
      join(folder, '*'),
      'org.junit.platform.console.ConsoleLauncher',
      'execute',
      `--select-class=org.apache.iceberg.rest.${tests}`,
      '--details=tree',
      '--details-theme=ascii',
      '--disable-banner',
      '--disable-ansi-colors',
    ],
    {
      env: {
        ...process.env,
        CATALOG_WAREHOUSE: 'lake.main',
        CATALOG_URI: `${server.url}/iceberg/relative_to/lake.main/api`,
        CATALOG_OAUTH2__SERVER__URI: `${server.url}/iceberg/api/v1/oauth/tokens`,
        CATALOG_CREDENTIAL: `${faceKey.accessKeyId}:${faceKey.secretAccessKey}`,
        CATALOG_IO__IMPL: 'org.apache.iceberg.aws.s3.S3FileIO',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let printed = '';
  for (const stream of [program.stdout, program.stderr])
    stream.on('data', piece => {
      printed += String(piece);
    });
  await once(program, 'close');
  return printed;
}

test('the compatibility kit passes, but for tests that need files of the local machine', {
  skip: isThere ? false : 'needs SRV_TEST_ICEBERG_KIT',
}, async () => {
  const printed = await runKit(String(kit), 'RESTCompatibilityKitCatalogTests');
  const failed = [...printed.matchAll(/\b(test\w+)\(\) \[X\]/g)].map(([, name = '']) => name);
  assert.deepEqual(new Set(failed), new Set(explained), printed.slice(-20_000));
  const passed = Number(/\[\s*(\d+) tests successful\s*\]/.exec(printed)?.[1]);
  assert.ok(passed >= 94, printed.slice(-20_000));
});

test('the tests of views in the compatibility kit pass', { skip: isThere ? false : 'needs SRV_TEST_ICEBERG_KIT' }, async () => {
  const printed = await runKit(String(kit), 'RESTCompatibilityKitViewCatalogTests');
  const failed = [...printed.matchAll(/\b(\w+)\(\) \[X\]/g)].map(([, name = '']) => name);
  assert.deepEqual(new Set(failed), new Set(explainedViews), printed.slice(-20_000));
  const passed = Number(/\[\s*(\d+) tests successful\s*\]/.exec(printed)?.[1]);
  assert.ok(passed >= 40, printed.slice(-20_000));
});
