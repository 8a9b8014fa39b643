/**
 * S3 servers on free ports, with data that outlives {@link TestServer.stop}: the product's own gateway, which is always
 * there, and versitygw, a server of other authors, where a program of that name is on the path or `SRV_TEST_VERSITYGW`
 * names it.
 */

import { randomUUID } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { freePort } from './free-port.js';
import { ServerProcess } from './s3-process.js';
import { NeedsError } from './test-server.js';
import type { TestServer } from './test-server.js';

export interface S3Server extends TestServer {
  readonly name: S3ServerName;
  /** A storage namespace that may be written below, without a slash at its end. */
  readonly namespace: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const servers = { gateway: startGateway, versitygw: startVersitygw };
export type S3ServerName = keyof typeof servers;
export const s3ServerNames = Object.keys(servers) as readonly S3ServerName[];

/** @throws NeedsError when the server is not on this machine. */
export function startS3(name: S3ServerName = 'gateway'): Promise<S3Server> {
  return servers[name]();
}

/** This file is `test/servers/dist/src/s3.js` once compiled. */
const srvProgram = resolve(import.meta.dirname, '..', '..', '..', '..', 'cli', 'bin', 'srv.js');
const gatewayPlugin = 'plugins/gateway-s3';
/** Reason to skip tests that need {@link startGateway}; `false`: none. Without the folder of the feature it cannot start. */
export const noGateway: string | false =
  !existsSync(resolve(import.meta.dirname, '..', '..', '..', '..', gatewayPlugin)) && `needs ${gatewayPlugin}`;
const bucket = 'suite-bucket';

/** `srv run --local-settings` with one repository, which is the bucket. @throws NeedsError without the plugin. */
export async function startGateway(): Promise<S3Server> {
  if (noGateway) throw new NeedsError(gatewayPlugin);
  const port = await freePort();
  const process = await ServerProcess.open('gateway', port, folder => ({
    command: globalThis.process.execPath,
    parameters: [srvProgram, 'run', '--local-settings'],
    env: { HOME: folder, SRV_LISTEN_ADDRESS: `127.0.0.1:${port}`, SRV_COMMITTED_WARM_UP: 'false' },
  }));
  const url = `http://127.0.0.1:${port}`;
  try {
    const file = readFileSync(join(process.folder, 'srv', 'cli.yaml'), 'utf8');
    const [accessKeyId, secretAccessKey] = ['access_key_id', 'secret_access_key'].map(
      name => new RegExp(`^ *${name}: (\\S+)$`, 'm').exec(file)?.[1] ?? '',
    ) as [string, string];
    await post(`${url}/api/v1/repositories`, { accessKeyId, secretAccessKey }, { name: bucket, storage_namespace: `local://${bucket}` });
    return server('gateway', process, { accessKeyId, secretAccessKey }, `s3://${bucket}/main/suite`);
  } catch (error) {
    await process.close();
    throw error;
  }
}

/** @throws NeedsError without the program. */
export async function startVersitygw(): Promise<S3Server> {
  const command = findProgram('versitygw', 'SRV_TEST_VERSITYGW');
  const port = await freePort();
  const keys = { accessKeyId: 'suite', secretAccessKey: randomUUID() };
  const process = await ServerProcess.open('versitygw', port, folder => ({
    command,
    parameters: ['--quiet', '--keep-alive', '--port', `127.0.0.1:${port}`, 'posix', folder],
    env: { ROOT_ACCESS_KEY: keys.accessKeyId, ROOT_SECRET_KEY: keys.secretAccessKey },
  }));
  // Its buckets are the folders.
  await mkdir(join(process.folder, bucket));
  return server('versitygw', process, keys, `s3://${bucket}/suite`);
}

interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

function server(name: S3ServerName, process: ServerProcess, keys: Keys, namespace: string): S3Server {
  const url = `http://127.0.0.1:${process.port}`;
  return {
    name,
    url,
    namespace,
    ...keys,
    env: {
      SRV_BLOCKSTORE_TYPE: 's3',
      SRV_BLOCKSTORE_S3_ENDPOINT: url,
      SRV_BLOCKSTORE_S3_FORCE_PATH_STYLE: 'true',
      SRV_BLOCKSTORE_S3_DISCOVER_BUCKET_REGION: 'false',
      SRV_BLOCKSTORE_S3_CREDENTIALS_ACCESS_KEY_ID: keys.accessKeyId,
      SRV_BLOCKSTORE_S3_CREDENTIALS_SECRET_ACCESS_KEY: keys.secretAccessKey,
    },
    stop: () => process.stop(),
    start: () => process.start(),
    close: () => process.close(),
  };
}

async function post(url: string, { accessKeyId, secretAccessKey }: Keys, body: unknown): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString('base64')}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
}

/** The program that a variable names, or of that name on the path. */
function findProgram(name: string, variable: string): string {
  const named = process.env[variable];
  const candidates =
    named !== undefined && named !== '' ? [named] : (process.env['PATH'] ?? '').split(delimiter).map(folder => join(folder, name));
  const found = candidates.find(isProgram);
  if (found === undefined) throw new NeedsError(name);
  return found;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
