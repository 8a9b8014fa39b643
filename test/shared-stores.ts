/** Stores that several servers of a test can use: a database of its own, and a folder. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgres } from '@srv/test-servers/postgres';
import { launchSrv } from './programs.js';

/** Of the first administrator. */
export const administratorKey = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'a-secret-of-this-test' };

/** @returns the environment of servers over new stores, with an administrator. */
export async function openSharedStores(
  owner: { after(callback: () => Promise<void>): void },
  home: string,
): Promise<Readonly<Record<string, string>>> {
  await mkdir(join(home, 'block'));
  const postgres = await startPostgres();
  owner.after(() => postgres.close());
  const environment = {
    ...postgres.env,
    SRV_LISTEN_ADDRESS: '127.0.0.1:0',
    SRV_AUTH_ENCRYPT_SECRET_KEY: 'encryption',
    SRV_BLOCKSTORE_TYPE: 'local',
    SRV_BLOCKSTORE_LOCAL_PATH: join(home, 'block'),
    SRV_BLOCKSTORE_SIGNING_SECRET_KEY: 'signing',
    SRV_COMMITTED_LOCAL_CACHE_DIR: join(home, 'cache'),
  };
  const { accessKeyId, secretAccessKey } = administratorKey;
  const setup = ['setup', '--user-name', 'ann', '--access-key-id', accessKeyId, '--secret-access-key', secretAccessKey];
  const { code, stdout, stderr } = await launchSrv(home, setup, environment).finished;
  assert.equal(code, 0, stdout + stderr);
  return environment;
}
