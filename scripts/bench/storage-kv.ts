/** Key-value drivers: single operations with 16 at a time, and scans. */
import kvCosmosdbConfig from '@srv/kv-cosmosdb/config';
import kvCosmosdb from '@srv/kv-cosmosdb/plugin';
import kvDynamodbConfig from '@srv/kv-dynamodb/config';
import kvDynamodb from '@srv/kv-dynamodb/plugin';
import kvPostgresConfig from '@srv/kv-postgres/config';
import kvPostgres from '@srv/kv-postgres/plugin';
import { middle, timeOf } from './benchmark.js';
import { bareCosmosdb, bareDynamodb, barePostgres } from './storage-bare-kv.js';
import { openStores, startServer } from './storage-servers.js';
import type { KvStore, Predicate } from '@srv/kernel';
import type { BenchmarkRow } from './benchmark.js';
import type { BareKv } from './storage-bare-kv.js';
import type { DriverPlugin } from './storage-servers.js';

const parallel = 16;

interface Subject {
  readonly name: string;
  readonly driver: DriverPlugin;
  readonly bare: (env: Readonly<Record<string, string>>) => BareKv;
  /** Records, in a full run. */
  readonly records: number;
}

const subjects: readonly Subject[] = [
  {
    name: 'postgres',
    driver: { plugin: kvPostgres, section: kvPostgresConfig },
    bare: env => barePostgres(env, parallel),
    records: 5000,
  },
  { name: 'dynamodb', driver: { plugin: kvDynamodb, section: kvDynamodbConfig }, bare: bareDynamodb, records: 1500 },
  { name: 'cosmosdb', driver: { plugin: kvCosmosdb, section: kvCosmosdbConfig }, bare: bareCosmosdb, records: 1000 },
];

/** What both sides can do; the work of one record each. */
interface Workload {
  put(key: Buffer, value: Buffer): Promise<unknown>;
  get(key: Buffer): Promise<unknown>;
  replace(key: Buffer, value: Buffer): Promise<unknown>;
  scan(): Promise<number>;
}

export async function kvRows(smoke: boolean): Promise<BenchmarkRow[]> {
  const rows: BenchmarkRow[] = [];
  for (const { name, driver, bare, records } of subjects) {
    const server = await startServer(name);
    if (!server) continue;
    try {
      const stores = await openStores(driver, server.env);
      const client = bare(server.env);
      try {
        rows.push(...(await compare(name, fromStore(stores.kv), fromBare(client), smoke ? 100 : records, smoke ? 1 : 5)));
      } finally {
        await Promise.all([stores.close(), client.close()]);
      }
    } finally {
      await server.close();
    }
  }
  return rows;
}

async function compare(name: string, driver: Workload, bare: Workload, records: number, repeat: number): Promise<BenchmarkRow[]> {
  const keys = Array.from({ length: records }, (_, i) => Buffer.from(`key-${String(i).padStart(8, '0')}`));
  const value = (round: number) => Buffer.alloc(120, `value ${round}`);
  const rows: BenchmarkRow[] = [];
  const row = async (what: string, work: (side: Workload, round: number) => Promise<unknown>): Promise<void> => {
    const times = new Map<Workload, number[]>([
      [driver, []],
      [bare, []],
    ]);
    // In turns, so that other work on the machine hits both alike.
    for (let round = 0; round <= repeat; round++) {
      for (const [side, list] of times) {
        const took = await timeOf(() => work(side, round));
        // The first round only warms up.
        if (round > 0) list.push(took);
      }
    }
    const [own, other] = [middle(times.get(driver) ?? []), middle(times.get(bare) ?? [])];
    rows.push({
      what: `${name}: ${what}`,
      value: Math.round((records / own) * 1000),
      unit: 'records/s',
      ratio: { to: 'its client alone', value: other / own },
    });
  };
  await row('put', (side, round) => inParallel(keys, key => side.put(key, value(round))));
  await row('get', side => inParallel(keys, key => side.get(key)));
  await row('get and compare-and-set', (side, round) => inParallel(keys, key => side.replace(key, value(100 + round))));
  await row('scan', async side => {
    const count = await side.scan();
    if (count !== records) throw new Error(`${name}: a scan found ${count} of ${records} records`);
  });
  return rows;
}

function fromStore(kv: KvStore): Workload {
  return {
    put: (key, value) => kv.set('bench', key, value),
    get: key => kv.get('bench', key),
    async replace(key, value) {
      const read = await kv.get('bench', key);
      if (!(await kv.setIf('bench', key, value, read?.predicate as Predicate))) throw new Error('there is no other writer');
    },
    async scan() {
      let count = 0;
      for await (const page of kv.scan('bench')) count += page.length;
      return count;
    },
  };
}

function fromBare(bare: BareKv): Workload {
  return {
    put: bare.put,
    get: bare.get,
    async replace(key, value) {
      const read = await bare.get(key);
      if (!(await bare.replace(key, value, read ?? Buffer.alloc(0)))) throw new Error('there is no other writer');
    },
    scan: bare.scan,
  };
}

async function inParallel(keys: readonly Buffer[], work: (key: Buffer) => Promise<unknown>): Promise<void> {
  const rest = keys.values();
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (const key of rest) await work(key);
    }),
  );
}
