/** Every test server by name. Each module is loaded when its server is wanted. */

interface StartedServer {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  /** Of block stores: a storage namespace that is there. */
  readonly namespace?: string;
  close(): Promise<void>;
}

const bucket = 'test-bucket';

export const servers: ReadonlyMap<string, () => Promise<StartedServer>> = new Map<string, () => Promise<StartedServer>>([
  ['postgres', async () => (await import('./postgres.js')).startPostgres()],
  ['dynamodb', async () => (await import('./dynamodb.js')).startDynamodb()],
  ['cosmosdb', async () => (await import('./cosmosdb.js')).startCosmosdb()],
  ['gateway', async () => (await import('./s3.js')).startGateway()],
  ['versitygw', async () => (await import('./s3.js')).startVersitygw()],
  [
    'azurite',
    async () => {
      const server = await (await import('./azure.js')).startAzurite();
      return { ...server, namespace: await server.createContainer(bucket) };
    },
  ],
  [
    'gs',
    async () => {
      const server = await (await import('./gs.js')).startGs();
      return { ...server, namespace: await server.createBucket(bucket) };
    },
  ],
  [
    'fake-gcs-server',
    async () => {
      const server = await (await import('./gs.js')).startFakeGcsServer();
      return { ...server, namespace: await server.createBucket(bucket) };
    },
  ],
  [
    'airflow',
    async () => {
      const server = await (await import('./airflow.js')).startAirflow();
      const { username, password, dagId } = server;
      return { ...server, env: { AIRFLOW_USERNAME: username, AIRFLOW_PASSWORD: password, AIRFLOW_DAG_ID: dagId } };
    },
  ],
  ['smtp', async () => (await import('./smtp.js')).startSmtp()],
]);
