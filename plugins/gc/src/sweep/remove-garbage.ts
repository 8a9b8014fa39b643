/** Has the files of a batch removed by whichever plugin taps `gcSweep` first. */
import { SrvError, throwIfAborted } from '@srv/kernel';
import type { Repository } from '@srv/engine/contract';
import type { GcBatchResult } from '../collection.js';
import type { MarkContext } from '../mark/context.js';
import type { Lease } from '../run/lease.js';
import type { RateLimiter } from './rate-limiter.js';

interface Removing {
  readonly repository: Repository;
  readonly runId: string;
  readonly lease: Lease;
  readonly signal: AbortSignal;
  /** Folder of the namespace for what can be brought back. */
  readonly quarantine: string | undefined;
}

/** Call it in a batch of the lease. @throws SrvError `conflict` when the lease is lost; `plugin` when no plugin removes anything. */
export async function removeGarbage(
  keys: readonly string[],
  { repository, runId, lease, signal, quarantine }: Removing,
  limiter: RateLimiter,
  { hooks }: Pick<MarkContext, 'hooks'>,
): Promise<GcBatchResult> {
  const result = await hooks.gcSweep.promise({
    repository: repository.id,
    storageNamespace: repository.storageNamespace,
    storageId: repository.storageId,
    runId,
    keys,
    quarantine,
    signal: AbortSignal.any([signal, lease.lost]),
    async permit(count = 1) {
      await limiter.acquire(count, signal);
      throwIfAborted(signal);
      lease.check();
    },
  });
  if (!result) throw new SrvError('plugin', 'no plugin removes garbage: none taps gcSweep');
  return result;
}
