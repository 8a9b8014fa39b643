/**
 * A process that collects, on stores that others use too. Controlled by messages: `collect` begins a run, or resumes one
 * whose process shows no sign of life; `stop` ends it. Reports what it did.
 */
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSrv } from '@srv/test-servers';
import { removeBatch } from '../src/sweep/remove-batch.js';
import { collectorOn } from './collectors.js';
import type {} from '@srv/engine/contract';

interface Facts {
  readonly config: Readonly<Record<string, unknown>>;
  readonly cacheDir: string;
  /** Milliseconds that a removal takes. */
  readonly pause: number;
}

/** Longer than of collectors in one process, as processes take turns on few cores. Milliseconds. */
const times = { beat: 100, giveUp: 5_000, stale: 10_000, look: 10, longest: 600_000 };
const { config, cacheDir, pause } = JSON.parse(process.argv[2] ?? '') as Facts;

// With the plugin's own collector at hand, but by these times.
const server = await startSrv({ plugins: ['kv-dynamodb', 'gc'], config });
const { services, hooks } = server.kernel;
const [kv, block, versioning] = [services.get('kv'), services.get('block'), services.get('engine')];
const collector = collectorOn({ kernel: server.kernel, kv, block, folder: dirname(cacheDir) }, basename(cacheDir), { kv, block }, times);

// One object after the other, so that a process can be stopped in the middle of a batch.
if (pause > 0)
  hooks.gcSweep.tapPromise({ name: 'gc', stage: -1 }, async batch => {
    const removed: string[] = [];
    for (const key of batch.keys) {
      await batch.permit();
      removed.push(...(await removeBatch({ ...batch, keys: [key] }, { block, parallelism: 1 })).removed);
      await sleep(pause);
    }
    return { removed, failed: [] };
  });

async function collect(): Promise<string> {
  const repository = await versioning.getRepository('shared');
  await collector.resume(repository);
  try {
    const run = await collector.start(repository, { mode: 'run' });
    process.send?.(`began ${run}`);
    await collector.wait(run);
    const { phase, error = '' } = await collector.records.get(repository, run);
    return `${phase} ${run} ${error}`;
  } catch (error) {
    return `refused ${error instanceof Error ? error.message : String(error)}`;
  }
}

process.on('message', (message: string) => {
  if (message === 'collect') void collect().then(outcome => process.send?.(outcome));
  else
    void collector
      .stop()
      .then(() => server.stop())
      .then(() => process.exit(0));
});
// The parent is gone, which asked for the runs.
process.on('disconnect', () => process.exit(1));
process.send?.('ready');
