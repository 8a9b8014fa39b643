/** The templates of policies against real clients: each does its work with the template, and fails when any action is left out. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { scratchFolder } from '@srv/kernel/testing';
import { startSrv } from '@srv/test-servers';
import { findPython } from '@srv/test-servers/python';
import { clientNeeds, templateOf } from '../src/cli/templates.js';
import type {} from '@srv/engine/contract';
import type { AccessKey } from '@srv/kernel';
import type { RunningSrv } from '@srv/test-servers';
import type { Role } from '../src/cli/templates.js';
import type {} from '../src/contract.js';

const run = promisify(execFile);
const script = fileURLToPath(new URL('../../test/least_rights.py', import.meta.url));
const folder = scratchFolder();
const root = 'lakes/main/team';
const arn = 'arn:lakefs:fs:::repository/lakes';

type Work = (key: AccessKey, url: string) => Promise<unknown>;
interface Client {
  readonly needs: string | undefined;
  readonly write: Work;
  readonly read: Work;
}

function pythonClient(name: string, ...modules: readonly [string, ...string[]]): Client {
  const python = findPython(...modules);
  const step =
    (what: string): Work =>
    ({ accessKeyId, secretAccessKey }, url) =>
      run(python ?? '', [script, name, what, url, root, accessKeyId, secretAccessKey], {
        cwd: folder,
        env: { ...process.env, AWS_EC2_METADATA_DISABLED: 'true' },
      });
  return { needs: python === undefined ? modules[0] : undefined, write: step('write'), read: step('read') };
}

const rclone =
  (...args: readonly (readonly string[])[]): Work =>
  async ({ accessKeyId, secretAccessKey }, url) => {
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      RCLONE_CONFIG: '/dev/null',
      RCLONE_CONFIG_SRV_TYPE: 's3',
      RCLONE_CONFIG_SRV_PROVIDER: 'Other',
      RCLONE_CONFIG_SRV_ACCESS_KEY_ID: accessKeyId,
      RCLONE_CONFIG_SRV_SECRET_ACCESS_KEY: secretAccessKey,
      RCLONE_CONFIG_SRV_ENDPOINT: url,
      RCLONE_CONFIG_SRV_REGION: 'us-east-1',
    };
    for (const line of args) await run('rclone', [...line, '--retries', '1', '--low-level-retries', '1'], { env });
  };

const isInstalled = async (program: string): Promise<boolean> =>
  run(program, ['version']).then(
    () => true,
    () => false,
  );

const clients: Readonly<Record<string, Client>> = {
  rclone: {
    needs: (await isInstalled('rclone')) ? undefined : 'rclone',
    write: rclone(
      ['sync', join(folder, 'first'), `srv:${root}/files`],
      ['sync', join(folder, 'second'), `srv:${root}/files`],
      ['check', join(folder, 'second'), `srv:${root}/files`, '--download'],
    ),
    read: rclone(['copy', '--ignore-times', `srv:${root}/files`, join(folder, 'copy')]),
  },
  pyarrow: pythonClient('pyarrow', 'pyarrow'),
  duckdb: pythonClient('duckdb', 'duckdb', 'duckdb_extensions'),
  // 640 MB and four minutes: only where the folder of its jars for S3A is named.
  ...(process.env['SRV_TEST_SPARK'] ? { spark: pythonClient('spark', 'pyspark') } : {}),
};

describe('policies of least rights', () => {
  let srv: RunningSrv;
  let key: AccessKey;
  before(async () => {
    for (const [name, files] of [
      ['first', ['a', 'b']],
      ['second', ['b', 'c']],
    ] as const) {
      mkdirSync(join(folder, name));
      for (const file of files) writeFileSync(join(folder, name, file), `${file} of ${name}`);
    }
    srv = await startSrv({ plugins: ['gateway-s3'], config: { 'auth.ui_config.rbac': 'internal', 'auth.cache.enabled': false } });
    const { services } = srv.kernel;
    await services.get('engine').createRepository({ id: 'lakes', storageNamespace: 'local://lakes' });
    const auth = services.get('auth');
    await auth.createUser({ username: 'tester' });
    await auth.createPolicy('exact', [{ effect: 'allow', action: ['fs:ReadObject'], resource: `${arn}/object/nothing` }]);
    await auth.attachToUser('tester', 'exact');
    key = await auth.createCredential('tester');
  });
  after(() => srv?.stop());

  const grant = (needs: { readonly repository: readonly string[]; readonly objects: readonly string[] }) =>
    srv.kernel.services
      .get('auth')
      .updatePolicy('exact', [
        { effect: 'allow', action: ['fs:ReadObject'], resource: `${arn}/object/nothing` },
        ...needs.repository.map(action => ({ effect: 'allow' as const, action: [action], resource: arn })),
        ...needs.objects.map(action => ({ effect: 'allow' as const, action: [action], resource: `${arn}/object/team/*` })),
      ]);
  const grantTemplate = (client: string, role: Role) =>
    srv.kernel.services.get('auth').updatePolicy('exact', templateOf(client, role, 'lakes', 'team/'));
  const fresh = async (): Promise<void> => srv.kernel.services.get('engine').resetBranch('lakes', 'main', { type: 'all' });

  for (const [name, { needs: missing, write, read }] of Object.entries(clients)) {
    const needs = clientNeeds[name] ?? assert.fail(`no needs of ${name}`);
    const skip = missing === undefined ? false : `needs ${missing}`;
    const works = async (role: Role): Promise<string> => {
      try {
        if (role === 'writer') await write(key, srv.url);
        else await read(key, srv.url);
        return 'works';
      } catch (error) {
        return String((error as { stderr?: string }).stderr ?? error);
      }
    };
    for (const role of ['writer', 'reader'] as const) {
      it(`${role} of ${name} work, and need every action`, { skip }, async () => {
        await fresh();
        if (role === 'reader') {
          await grantTemplate(name, 'writer');
          assert.equal(await works('writer'), 'works');
        }
        await grantTemplate(name, role);
        assert.equal(await works(role), 'works');
        for (const kind of ['repository', 'objects'] as const) {
          for (const action of needs[role][kind]) {
            if (role === 'writer') await fresh();
            await grant({ ...needs[role], [kind]: needs[role][kind].filter(other => other !== action) });
            assert.notEqual(await works(role), 'works', `without ${action} on ${kind}`);
          }
        }
      });
    }
  }
});
