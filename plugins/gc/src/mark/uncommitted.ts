/** What is alive without a commit: uncommitted entries of every branch, and multipart uploads under way. */
import { SrvError, throwIfAborted } from '@srv/kernel';
import { branchOf, branchesOf, gather } from './repository-state.js';
import { partitionsOf, stagedEntries } from './staged.js';
import type { Branch, Repository } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { GcPlan } from '../collection.js';
import type { StagedEntry } from './staged.js';

/** Records of multipart uploads, of all repositories. */
const uploadsPartition = 'multiparts';
/** Looks at one branch that moves all the time. */
const maxLooks = 200;

/** Uploads come first: what they become is staged, what is staged is committed, and then the head shows it. */
export async function keepUncommitted(plan: GcPlan, repository: Repository, kv: KvStore): Promise<void> {
  for await (const page of kv.scan(uploadsPartition)) await plan.keep(page.map(({ value }) => value.toString('latin1')));
  for await (const rows of stagedOf(repository, { kv, signal: plan.signal }))
    await plan.keep(rows.flatMap(({ entry }) => (entry ? [entry.address] : [])));
}

interface StagedRequest {
  readonly kv: KvStore;
  readonly signal: AbortSignal;
  /** First key of interest. */
  readonly start?: Buffer;
}

/** Every row of every partition of all branches, from a key on. Rows may come several times. */
export async function* stagedOf(repository: Repository, request: StagedRequest): AsyncGenerator<readonly StagedEntry[]> {
  for (const branch of await gather(branchesOf(request.kv, repository))) yield* stagedOn(repository, branch, request);
}

/** Every row of every partition of a branch. What moved on meanwhile is in a commit that the run sees as new. */
async function* stagedOn(
  repository: Repository,
  first: Branch,
  { kv, signal, start }: StagedRequest,
): AsyncGenerator<readonly StagedEntry[]> {
  for await (const branch of looksAt(kv, repository, first))
    for (const partition of partitionsOf(branch)) {
      throwIfAborted(signal);
      for await (const rows of stagedEntries(kv, partition, start)) {
        throwIfAborted(signal);
        yield rows;
      }
    }
}

/**
 * A branch, to be read each time it is yielded: again as long as it has moved meanwhile, since a partition may have been
 * emptied under a scan.
 */
export async function* looksAt(kv: KvStore, repository: Repository, first: Branch): AsyncGenerator<Branch> {
  let branch = first;
  for (let look = 0; look < maxLooks; look++) {
    yield branch;
    const now = await branchOf(kv, repository, branch.id);
    if (!now || stateOf(now) === stateOf(branch)) return;
    branch = now;
  }
  throw new SrvError('too_many_tries', `branch ${first.id} moved ${maxLooks} times while it was read; start the run again`);
}

function stateOf({ commitId, stagingToken, sealedTokens }: Branch): string {
  return [commitId, stagingToken, ...sealedTokens].join(' ');
}
