/** What is alive without a commit: uncommitted entries of every branch, and multipart uploads under way. */
import { SrvError, throwIfAborted } from '@srv/kernel';
import { branchOf, branchesOf, gather } from './repository-state.js';
import { partitionsOf, stagedEntries } from './staged.js';
import type { Branch, Repository } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { GcPlan } from '../collection.js';

/** Records of multipart uploads, of all repositories. */
const uploadsPartition = 'multiparts';
/** Looks at one branch that moves all the time. */
const maxLooks = 200;

/** Uploads come first: what they become is staged, what is staged is committed, and then the head shows it. */
export async function keepUncommitted(plan: GcPlan, repository: Repository, kv: KvStore): Promise<void> {
  for await (const page of kv.scan(uploadsPartition)) await plan.keep(page.map(({ value }) => value.toString('latin1')));
  for (const branch of await gather(branchesOf(kv, repository))) await keepStaged(plan, repository, branch, kv);
}

/**
 * Keeps every row of every partition of a branch. When the branch has moved meanwhile, a partition may have been emptied
 * under the scan: then it is looked at again. What moved on is in a commit that the run sees as new.
 */
async function keepStaged(plan: GcPlan, repository: Repository, first: Branch, kv: KvStore): Promise<void> {
  let branch: Branch | undefined = first;
  for (let look = 0; branch; look++) {
    throwIfAborted(plan.signal);
    if (look === maxLooks)
      throw new SrvError('too_many_tries', `branch ${first.id} moved ${maxLooks} times while it was read; start the run again`);
    for (const partition of partitionsOf(branch))
      for await (const rows of stagedEntries(kv, partition)) {
        throwIfAborted(plan.signal);
        await plan.keep(rows.flatMap(({ entry }) => (entry ? [entry.address] : [])));
      }
    const now: Branch | undefined = await branchOf(kv, repository, branch.id);
    if (!now || stateOf(now) === stateOf(branch)) return;
    branch = now;
  }
}

function stateOf({ commitId, stagingToken, sealedTokens }: Branch): string {
  return [commitId, stagingToken, ...sealedTokens].join(' ');
}
