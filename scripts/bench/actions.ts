/** What actions cost: an event that starts nothing, and commits with hooks against one without. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startSrv, startWebhookReceiver } from '@srv/test-servers';
import { repositoryRoot } from '../repository-root.js';
import { median } from './benchmark.js';
import type { Engine } from '@srv/engine/contract';
import type { EventRecord } from '@srv/kernel';
import type { Benchmark, BenchmarkRow } from './benchmark.js';

const repository = 'bench';

export default {
  name: 'actions',
  plugin: 'actions',
  description: 'Events that start nothing, and commits with a hook before them, on embedded storage with durable writes',
  async run({ smoke }) {
    const [events, commits] = smoke ? [20, 3] : [2000, 100];
    const lua = existsSync(join(repositoryRoot, 'plugins/hook-lua/package.json')) ? ['hook-lua'] : [];
    const receiver = await startWebhookReceiver();
    try {
      const { kernel, stop } = await startSrv({ plugins: ['actions', 'hook-webhook', ...lua] });
      try {
        const engine = kernel.services.get('engine');
        const { storageNamespace } = await engine.createRepository({ id: repository, storageNamespace: 'local://bench' });
        await commit(engine, 'main');
        const ask = (branch: string, count: number): Promise<number> =>
          perEvent(count, () => {
            const event: EventRecord = { runId: '0', type: 'pre-commit', repository, storageNamespace, sourceRef: branch, branch };
            return kernel.hooks.event.get('pre-commit')?.promise(event);
          });
        await ask('main', 20);
        const without = await ask('main', events);
        await branchWith(engine, 'other', file('pre-merge', 'webhook', { url: receiver.url }));
        await ask('other', 20);
        const notMatching = await ask('other', events);
        const rows: BenchmarkRow[] = [
          { what: 'event of a branch without action files', value: without, unit: 'ms' },
          { what: 'event that the action file of the branch does not name', value: notMatching, unit: 'ms' },
        ];
        const plain = await committing(engine, 'main', commits);
        rows.push({ what: 'commit of one object', value: plain, unit: 'ms' });
        const compared = async (what: string, branch: string, text: string): Promise<void> => {
          await branchWith(engine, branch, text);
          const value = await committing(engine, branch, commits);
          rows.push({ what, value, unit: 'ms', ratio: { to: 'without', value: value / plain } });
        };
        await compared('the same with one webhook on loopback', 'webhook', file('pre-commit', 'webhook', { url: receiver.url }));
        if (lua.length > 0)
          await compared('the same with one Lua hook that does nothing', 'lua', file('pre-commit', 'lua', { script: 'return' }));
        return rows;
      } finally {
        await stop();
      }
    } finally {
      await receiver.close();
    }
  },
} satisfies Benchmark;

function file(event: string, type: string, properties: object): string {
  return JSON.stringify({ name: `bench ${event}`, on: { [event]: null }, hooks: [{ id: 'hook', type, properties }] });
}

async function branchWith(engine: Engine, branch: string, text: string): Promise<void> {
  await engine.createBranch(repository, branch, 'main');
  await engine.putObject(repository, branch, '_srv_actions/bench.yaml', Buffer.from(text));
  await commit(engine, branch);
}

async function commit(engine: Engine, branch: string): Promise<void> {
  await engine.commit(repository, branch, { committer: 'bench', message: 'bench', allowEmpty: true });
}

let objects = 0;

/** Milliseconds of a commit of one object. */
async function committing(engine: Engine, branch: string, count: number): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < count + 3; i++) {
    await engine.putObject(repository, branch, `data/${objects++}`, Buffer.from('x'));
    const begin = performance.now();
    await commit(engine, branch);
    times.push(performance.now() - begin);
  }
  // The first ones fill caches.
  return times.slice(3).toSorted((a, b) => a - b)[Math.floor(count / 2)] ?? Number.NaN;
}

async function perEvent(count: number, ask: () => Promise<void> | undefined): Promise<number> {
  return (
    (await median(3, async () => {
      for (let i = 0; i < count; i++) await ask();
    })) / count
  );
}
