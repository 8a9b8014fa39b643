/** Azurite, the emulator of Azure Blob Storage, on a free port, with data on disk that outlives {@link TestServer.stop}. */
import { spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { spent } from '@srv/kernel/testing';
import { freePort } from './free-port.js';
import { isListening } from './is-listening.js';
import { packageFile } from './packages.js';
import type { ChildProcess } from 'node:child_process';
import type { TestServer } from './test-server.js';

/** The emulator's usual account; each server creates a new key. */
const azuriteAccount = 'devstoreaccount1';
/** A domain the driver accepts for tests; namespaces are `https://<account>.azurite.test/<container>`. */
export const azuriteDomain = 'azurite.test';

export interface AzuriteServer extends TestServer {
  readonly account: string;
  /** Base64, as the service gives them out. */
  readonly accessKey: string;
  /** Makes a container unless it is there. @returns a storage namespace in it. */
  createContainer(name: string): Promise<string>;
}

export interface AzuriteOptions {
  /** Serves HTTPS with these PEM files, and takes bearer tokens whose signature it does not check. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

const startSeconds = 30;

export async function startAzurite({ tls }: AzuriteOptions = {}): Promise<AzuriteServer> {
  const folder = await mkdtemp(join(tmpdir(), 'srv-azurite-'));
  const port = await freePort();
  const accessKey = randomBytes(64).toString('base64');
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${port}/${azuriteAccount}`;
  let child: ChildProcess | undefined;
  const removeFolder = (): void => void rm(folder, { recursive: true, force: true }).catch(() => undefined);
  const launch = async (): Promise<void> => {
    child = spawnAzurite({ folder, port, accessKey, tls });
    const listening = untilListening(child, port);
    await spent('servers', () => listening);
  };
  try {
    await launch();
  } catch (error) {
    removeFolder();
    throw error;
  }
  return {
    url,
    account: azuriteAccount,
    accessKey,
    env: {
      SRV_BLOCKSTORE_TYPE: 'azure',
      SRV_BLOCKSTORE_AZURE_STORAGE_ACCOUNT: azuriteAccount,
      SRV_BLOCKSTORE_AZURE_STORAGE_ACCESS_KEY: accessKey,
      SRV_BLOCKSTORE_AZURE_DOMAIN: azuriteDomain,
      SRV_BLOCKSTORE_AZURE_TEST_ENDPOINT_URL: url,
    },
    async createContainer(name) {
      await putContainer(url, name, accessKey);
      return `https://${azuriteAccount}.${azuriteDomain}/${name}`;
    },
    start: launch,
    async stop() {
      await end(child, stdin => stdin.write('stop\n'));
    },
    async close() {
      await end(child, stdin => stdin.end());
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The one call tests need beside the driver, signed with the shared key. */
async function putContainer(url: string, name: string, accessKey: string): Promise<void> {
  const headers = { 'x-ms-date': new Date().toUTCString(), 'x-ms-version': '2021-12-02' };
  const emptyHeaders = '\n'.repeat(11);
  const named = Object.entries(headers).map(([header, value]) => `${header}:${value}\n`);
  const text = `PUT\n${emptyHeaders}${named.join('')}/${azuriteAccount}/${azuriteAccount}/${name}\nrestype:container`;
  const signature = createHmac('sha256', Buffer.from(accessKey, 'base64')).update(text).digest('base64');
  const answer = await fetch(`${url}/${name}?restype=container`, {
    method: 'PUT',
    headers: { ...headers, authorization: `SharedKey ${azuriteAccount}:${signature}` },
  });
  if (!answer.ok && answer.status !== 409) throw new Error(`container ${name}: ${answer.status} ${await answer.text()}`);
}

interface SpawnOptions extends AzuriteOptions {
  readonly folder: string;
  readonly port: number;
  readonly accessKey: string;
}

function spawnAzurite({ folder, port, accessKey, tls }: SpawnOptions): ChildProcess {
  const main = fileURLToPath(packageFile('azurite/dist/src/blob/main.js'));
  const flags = ['--blobHost', '127.0.0.1', '--blobPort', String(port), '--location', folder];
  // Without the version check switched off it refuses newer clients.
  flags.push('--silent', '--skipApiVersionCheck', '--disableTelemetry');
  if (tls) flags.push('--oauth', 'basic', '--cert', tls.cert, '--key', tls.key);
  const child = spawn(process.execPath, ['--import', import.meta.resolve('./azure-child.js'), main, ...flags], {
    cwd: folder,
    env: { PATH: process.env['PATH'], AZURITE_FOLDER: folder, AZURITE_ACCOUNTS: `${azuriteAccount}:${accessKey}` },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  // Only the user of the server decides how long the process runs.
  child.unref();
  return child;
}

async function untilListening(child: ChildProcess, port: number): Promise<void> {
  let complaint = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-2000);
  });
  for (let waited = 0; waited < startSeconds * 1000; waited += 50) {
    if (child.exitCode !== null) break;
    if (await isListening(port)) return;
    await sleep(50);
  }
  child.kill('SIGKILL');
  throw new Error(`Azurite does not listen on port ${port}: ${complaint || 'it said nothing'}`);
}

async function end(child: ChildProcess | undefined, ask: (stdin: NonNullable<ChildProcess['stdin']>) => void): Promise<void> {
  if (!child?.stdin || child.exitCode !== null || child.signalCode !== null) return;
  child.stdin.on('error', () => undefined);
  const gone = once(child, 'exit');
  child.ref();
  ask(child.stdin);
  await gone;
}
