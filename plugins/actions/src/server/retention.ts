/** Forgets old runs (`actions.runs.retention`). */

import { runEpoch, workThrough, xidSeconds } from '@srv/lib-records';
import type { Repository } from '@srv/engine/contract';
import type { RunRecord } from './run-record.js';
import type { RunStore } from './run-store.js';

const pageAmount = 1000;

/**
 * Removes runs that started longer ago than `age`, with their outputs.
 * @param age milliseconds. @returns how many. @throws the first failure, after the others were removed.
 */
export async function removeOldRuns(
  repository: Pick<Repository, 'id' | 'storageNamespace' | 'storageId'>,
  store: RunStore,
  age: number,
): Promise<number> {
  const place = { repository: repository.id, storageNamespace: repository.storageNamespace, storageId: repository.storageId };
  const oldest = Date.now() - age;
  let removed = 0;
  await workThrough(runsOf(repository.id, store), async run => {
    if (startOf(run.runId) >= oldest) return;
    await store.remove(place, run);
    removed++;
  });
  return removed;
}

async function* runsOf(repository: string, store: RunStore): AsyncGenerator<RunRecord> {
  for (let after = ''; ; ) {
    const { results, hasMore, nextOffset } = await store.list(repository, { after, amount: pageAmount });
    yield* results;
    if (!hasMore) return;
    after = nextOffset;
  }
}

/** Milliseconds since 1970; of a run whose hooks were all skipped too. */
function startOf(runId: string): number {
  const seconds = xidSeconds(runId);
  return seconds === undefined ? Number.POSITIVE_INFINITY : ((((runEpoch - seconds) % 2 ** 32) + 2 ** 32) % 2 ** 32) * 1000;
}
