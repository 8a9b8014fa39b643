/**
 * The first day over pairs of stores that servers share. Three pairs hold every driver once; `SRV_TEST_PAIRS=all` runs
 * them all, `SRV_TEST_PAIRS=postgres+gs,local+azure` those.
 */

import { join } from 'node:path';
import { after, test } from 'node:test';
import { startAzurite } from '@srv/test-servers/azure';
import { startCosmosdb } from '@srv/test-servers/cosmosdb';
import { startDynamodb } from '@srv/test-servers/dynamodb';
import { startGs } from '@srv/test-servers/gs';
import { startPostgres } from '@srv/test-servers/postgres';
import { noGateway, startGateway } from '@srv/test-servers/s3';
import { Cluster } from './cluster.js';
import { smallTree } from './file-tree.js';
import { firstDay } from './first-day.js';
import type { TestServer } from '@srv/test-servers';

interface Store extends Pick<TestServer, 'env'> {
  close?(): Promise<void>;
}
interface Block extends Store {
  /** A new storage namespace. */
  readonly namespace: string;
}

/** Each makes a store that is new. Only an embedded database has to be left to one server. */
const databases = {
  local: async (home: string): Promise<Store> => ({
    env: { SRV_DATABASE_TYPE: 'local', SRV_DATABASE_LOCAL_PATH: join(home, 'kv') },
  }),
  postgres: startPostgres,
  dynamodb: () => startDynamodb(),
  cosmosdb: startCosmosdb,
};

const blocks = {
  local: async (home: string): Promise<Block> => ({
    env: { SRV_BLOCKSTORE_TYPE: 'local', SRV_BLOCKSTORE_LOCAL_PATH: join(home, 'block') },
    namespace: 'local://first',
  }),
  s3: startGateway,
  gs: async (): Promise<Block> => {
    const server = await startGs();
    return { ...server, namespace: await server.createBucket('first') };
  },
  azure: async (): Promise<Block> => {
    const server = await startAzurite();
    return { ...server, namespace: await server.createContainer('first') };
  },
};

type Pair = readonly [database: keyof typeof databases, block: keyof typeof blocks];

const representative: readonly Pair[] = [
  ['postgres', 's3'],
  ['dynamodb', 'azure'],
  ['cosmosdb', 'gs'],
];

const all: readonly Pair[] = (Object.keys(databases) as (keyof typeof databases)[]).flatMap(database =>
  (Object.keys(blocks) as (keyof typeof blocks)[]).map((block): Pair => [database, block]),
);

const wanted = process.env.SRV_TEST_PAIRS ?? '';
const named = all.filter(pair => wanted === 'all' || wanted.split(',').includes(pair.join('+')));

for (const [database, block] of wanted === '' ? representative : named) {
  if (block === 's3' && noGateway) {
    test(`the first day over ${database} and ${block}`, { skip: noGateway });
    continue;
  }
  const servers = database === 'local' ? 1 : 2;
  const stores: Store[] = [];
  let namespace = '';
  firstDay({
    title: `the first day over ${database} and ${block}, ${servers} srv`,
    namespace: () => namespace,
    start: async home => {
      stores.push(await databases[database](home));
      const objects = await blocks[block](home);
      stores.push(objects);
      ({ namespace } = objects);
      return Cluster.start({ home, stores, servers });
    },
    fill: smallTree,
    fileCount: 120,
    showsCredentials: false,
  });
  after(async () => {
    for (const store of stores) await store.close?.();
  });
}
