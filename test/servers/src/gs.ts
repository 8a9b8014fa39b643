/**
 * Google Cloud Storage on a free port: a fake in this process, and `fake-gcs-server`, a program of other authors, where it
 * is installed. Data outlives {@link TestServer.stop}.
 */
import { generateKeyPair } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:http';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.js';
import { GsFake } from './gs-fake.js';
import { GsObjects } from './gs-objects.js';
import { keptAlive } from './keep-alive.js';
import { ServerProcess } from './s3-process.js';
import { NeedsError } from './test-server.js';
import type { Server } from 'node:http';
import type { TestServer } from './test-server.js';

export interface GsServer extends TestServer {
  /** A service-account key as JSON; made up by each server, and good for nothing else. */
  readonly credentialsJson: string;
  /** Makes a bucket unless it is there. @returns a storage namespace in it. */
  createBucket(name: string): Promise<string>;
}

export interface FakeGsServer extends GsServer {
  /** What it holds, and switches of its behaviour. */
  readonly fake: GsFake;
}

/** The fake of this package. */
export async function startGs(): Promise<FakeGsServer> {
  const { credentialsJson, publicKey } = await makeAccount();
  const port = await freePort();
  const fake = new GsFake(await GsObjects.open(), publicKey);
  let server: Server | undefined;
  const start = async (): Promise<void> => {
    server = createServer(keptAlive, (request, response) => void fake.serve(request, response)).listen(port, '127.0.0.1');
    await once(server, 'listening');
    // Tests that forget to close it must still end.
    server.unref();
  };
  const stop = async (): Promise<void> => {
    const stopped = server;
    if (!stopped) return;
    server = undefined;
    stopped.close();
    stopped.closeAllConnections();
    await once(stopped, 'close');
  };
  await start();
  return {
    ...facts(`http://127.0.0.1:${port}`, credentialsJson),
    fake,
    start,
    stop,
    async close() {
      await stop();
      await fake.objects.close();
    },
  };
}

/**
 * `fake-gcs-server`, which `SRV_TEST_FAKE_GCS` names or the path has.
 * @param backend `memory` takes all names and forgets them when stopped; `filesystem` takes names of files.
 * @throws NeedsError without the program.
 */
export async function startFakeGcsServer(backend: 'memory' | 'filesystem' = 'filesystem'): Promise<GsServer> {
  const command = findProgram();
  const { credentialsJson } = await makeAccount();
  const port = await freePort();
  const process = await ServerProcess.open('fake-gcs', port, folder => ({
    command,
    parameters: Object.entries({
      scheme: 'http',
      host: '127.0.0.1',
      port: String(port),
      'log-level': 'error',
      backend,
      'filesystem-root': join(folder, 'objects'),
      'public-host': `127.0.0.1:${port}`,
      'external-url': `http://127.0.0.1:${port}`,
    }).flatMap(([name, value]) => [`-${name}`, value]),
    env: {},
  }));
  return {
    ...facts(`http://127.0.0.1:${port}`, credentialsJson),
    start: () => process.start(),
    stop: () => process.stop(),
    close: () => process.close(),
  };
}

function facts(url: string, credentialsJson: string): Pick<GsServer, 'url' | 'env' | 'credentialsJson' | 'createBucket'> {
  return {
    url,
    credentialsJson,
    env: {
      SRV_BLOCKSTORE_TYPE: 'gs',
      SRV_BLOCKSTORE_GS_CREDENTIALS_JSON: credentialsJson,
      SRV_BLOCKSTORE_GS_TEST_ENDPOINT_URL: url,
    },
    async createBucket(name) {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${url}/storage/v1/b?project=test`, { method: 'POST', headers, body: JSON.stringify({ name }) });
      if (!answer.ok && answer.status !== 409) throw new Error(`bucket ${name}: ${answer.status} ${await answer.text()}`);
      await answer.arrayBuffer();
      return `gs://${name}`;
    },
  };
}

async function makeAccount(): Promise<{ credentialsJson: string; publicKey: string }> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const account = { type: 'service_account', project_id: 'test', client_email: 'suite@test.iam.gserviceaccount.com' };
  return { credentialsJson: JSON.stringify({ ...account, private_key: privateKey }), publicKey };
}

function findProgram(): string {
  const named = process.env['SRV_TEST_FAKE_GCS'];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const candidates = named !== undefined && named !== '' ? [named] : folders.map(folder => join(folder, 'fake-gcs-server'));
  const found = candidates.find(file => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new NeedsError('fake-gcs-server');
  return found;
}
