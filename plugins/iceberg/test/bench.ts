/** The catalog over HTTP, on embedded storage, in one process with its clients. */
import { median, rate, timeOf } from '@srv/test-servers/benchmark';
import { logIn, namespacePath, schema, startCatalog } from './support/server.js';
import type { Benchmark, BenchmarkRow } from '@srv/test-servers/benchmark';
import type { CatalogServer } from './support/server.js';

const sizes = {
  full: { repeat: 200, tables: 10_000, clients: 64, commits: 640 },
  smoke: { repeat: 3, tables: 30, clients: 4, commits: 8 },
};

export default {
  name: 'iceberg',
  plugin: 'iceberg',
  description: 'The Iceberg catalog over HTTP, in one process with its clients: loading, committing and listing tables',
  async run({ smoke }) {
    const server = await startCatalog();
    try {
      return await measure(server, smoke ? sizes.smoke : sizes.full);
    } finally {
      await server.stop();
    }
  },
} satisfies Benchmark;

type Call = (method: string, path: string, body?: object) => Promise<{ readonly status: number; readonly text: string }>;

async function measure(server: CatalogServer, { repeat, tables, clients, commits }: typeof sizes.full): Promise<BenchmarkRow[]> {
  const authorization = `Bearer ${await logIn(server)}`;
  const call: Call = async (method, path, body) => {
    const init = { method, headers: { authorization }, ...(body ? { body: JSON.stringify(body) } : {}) };
    const response = await fetch(`${server.url}/iceberg/api/v1/srv${path}`, init);
    return { status: response.status, text: await response.text() };
  };
  const made = async (namespace: string, name: string): Promise<void> => {
    const { status, text } = await call('POST', `${namespacePath('lake', 'main', namespace)}/tables`, { name, schema });
    if (status !== 200) throw new Error(text);
  };
  for (const namespace of ['few', 'many']) await call('POST', '/namespaces', { namespace: ['lake', 'main', namespace] });
  for (let i = 0; i < clients; i++) await made('few', `t${i}`);
  const few = `${namespacePath('lake', 'main', 'few')}/tables`;
  let count = 0;
  /** Repeats a commit that met others, as clients do. */
  const commit = async (table: string): Promise<void> => {
    const updates = [{ action: 'set-properties', updates: { n: String(++count) } }];
    for (;;) {
      const { status, text } = await call('POST', `${few}/${table}`, { requirements: [], updates });
      if (status === 200) return;
      if (status !== 409) throw new Error(text);
    }
  };
  const load = await median(repeat, () => call('GET', `${few}/t0`));
  const alone = await median(repeat, () => commit('t0'));
  const inTurns = (table: (client: number) => string) =>
    timeOf(() =>
      inParallel(clients, async client => {
        for (let i = 0; i < commits / clients; i++) await commit(table(client));
      }),
    );
  const spread = await inTurns(client => `t${client}`);
  const before = count;
  const one = await inTurns(() => 't1');
  await check(call, `${few}/t1`, count - before + commits / clients);
  const creation = await timeOf(() =>
    inParallel(clients, async client => {
      for (let i = client; i < tables; i += clients) await made('many', `table${i}`);
    }),
  );
  const listed = async (): Promise<void> => {
    if ((await namesOf(call)) !== tables) throw new Error('tables are missing in the list');
  };
  const staged = await timeOf(listed);
  await server.engine.commit('lake', 'main', { message: 'tables', committer: 'bench' });
  return [
    { what: 'load a table', value: load, unit: 'ms' },
    { what: 'commit to it', value: alone, unit: 'ms' },
    { what: `${clients} clients commit to ${clients} tables`, value: rate(commits, spread), unit: 'commits/s' },
    { what: `${clients} clients commit to one table`, value: rate(commits, one), unit: 'commits/s' },
    { what: `${clients} clients create ${tables} tables`, value: rate(tables, creation), unit: 'tables/s' },
    { what: `list ${tables} uncommitted tables, 1000 at a time`, value: Math.round(staged), unit: 'ms' },
    { what: 'list them after a commit', value: Math.round(await timeOf(listed)), unit: 'ms' },
  ];
}

async function inParallel(clients: number, work: (client: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
}

/** Every commit has landed once: the metadata file has the number of all of them. */
async function check(call: Call, path: string, commits: number): Promise<void> {
  const { text } = await call('GET', path);
  const version = /\/(\d{5})-[^/]*\.metadata\.json/.exec(text)?.[1];
  if (Number(version) !== commits) throw new Error(`the table is at version ${version} after ${commits} commits`);
}

async function namesOf(call: Call): Promise<number> {
  let count = 0;
  for (let token: string | null = ''; token !== null; ) {
    const { text } = await call(
      'GET',
      `${namespacePath('lake', 'main', 'many')}/tables?pageToken=${encodeURIComponent(token)}&pageSize=1000`,
    );
    const page = JSON.parse(text) as { identifiers: unknown[]; 'next-page-token': string | null };
    count += page.identifiers.length;
    token = page['next-page-token'];
  }
  return count;
}
