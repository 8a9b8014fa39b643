/** The database, then the object store, goes away under two running servers and comes back, again and again. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@srv/engine/client';
import { seededRandom } from '@srv/kernel/testing';
import { startPostgres } from '@srv/test-servers/postgres';
import { noGateway, startGateway } from '@srv/test-servers/s3';
import { Cluster } from '../cluster.js';
import { temporaryFolder } from '../programs.js';
import { commitIds, place, readObjects } from './branch-state.js';
import { Ledger } from './ledger.js';
import type { Client } from '@srv/engine/client';
import type { TestServer } from '@srv/test-servers';

const writers = 6;
const rounds = 2;
/** Milliseconds that a store stays away. */
const outage = 400;

describe('stores that go away and come back', { skip: noGateway }, () => {
  const random = seededRandom();
  const home = temporaryFolder({ after });
  const ledger = new Ledger();
  const stores: Partial<Record<'database' | 'objects', TestServer>> = {};
  const commits = new Set<string>();
  const complaints: string[] = [];
  let cluster: Cluster;
  let client: Client;
  let serial = 0;

  before(async () => {
    stores.database = await startPostgres();
    const objects = await startGateway();
    stores.objects = objects;
    cluster = await Cluster.start({ home, stores: [stores.database, objects], servers: 2 });
    client = createClient({
      endpointUrl: cluster.setting('endpoint_url'),
      accessKeyId: cluster.setting('access_key_id'),
      secretAccessKey: cluster.setting('secret_access_key'),
      retries: { enabled: false },
    });
    await client.createRepository({
      body: { name: place.repository, storage_namespace: `${objects.namespace}/faults`, default_branch: place.branch },
    });
  });
  after(async () => {
    client.close();
    await cluster.kill();
    await Promise.all(Object.values(stores).map(store => store.close()));
  });

  /** Runs a request; whether it was acknowledged. A refusal must be one of an outage. */
  async function attempt(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      const { status, message } = error as { status?: number; message: string };
      complaints.push(`${status ?? 'no answer'}: ${message}`);
      assert.ok(status !== undefined && status >= 400 && status !== 500, `an outage is reported as ${status ?? 'no answer'}: ${message}`);
      return false;
    }
  }

  async function write(writer: number, until: () => boolean): Promise<void> {
    while (!until()) {
      const path = `${writer}/${random.below(20)}`;
      const content = `content ${++serial}`;
      ledger.asked(path, content);
      if (await attempt(() => client.uploadObject({ ...place, path, body: Buffer.from(content) }))) ledger.acknowledged(path, content);
      else await sleep(20);
    }
  }

  async function commit(until: () => boolean): Promise<void> {
    while (!until()) {
      await attempt(async () => commits.add((await client.commit({ ...place, body: { message: `commit ${++serial}` } })).id));
      await sleep(30);
    }
  }

  for (const [name, code] of [
    ['database', /503/],
    ['objects', /503/],
  ] as const) {
    it(`the ${name} (${random.seed}): nothing acknowledged is lost, and the servers continue without a restart`, async () => {
      const store = stores[name];
      assert.ok(store);
      complaints.length = 0;
      for (let round = 0; round < rounds; round++) {
        let over = false;
        const work = Promise.all([...Array.from({ length: writers }, (_, i) => write(i, () => over)), commit(() => over)]);
        // Awaited below; until then its failure must not count as unhandled.
        work.catch(() => undefined);
        await sleep(100 + random.below(300));
        await store.stop();
        await sleep(outage);
        await store.start();
        await sleep(300);
        over = true;
        await work;
        // What was never answered may hold either; from here on it holds what is seen.
        ledger.saw(await readObjects(client));
        const log = await commitIds(client);
        for (const id of commits) assert.ok(log.includes(id), `acknowledged commit ${id} is not in the log`);
        assert.equal(new Set(log).size, log.length);
      }
      assert.ok(
        complaints.some(text => code.test(text)),
        `it went unnoticed: ${complaints.join('; ')}`,
      );
      const path = `proof/${name}`;
      ledger.asked(path, name);
      await client.uploadObject({ ...place, path, body: Buffer.from(name) });
      ledger.acknowledged(path, name);
      commits.add((await client.commit({ ...place, body: { message: `after the outage of the ${name}` } })).id);
      ledger.saw(await readObjects(client));
    });
  }
});
