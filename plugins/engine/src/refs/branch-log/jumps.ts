/**
 * Moves of branches that their commits do not show, newest first: resets, deletions, restorations, and creations under a
 * name that was used before. Each is written before it happens, so that no kill can lose where a branch was.
 */
import { PartitionsWithout, Records, descendingXid, partitionOf, runEpoch } from '@srv/lib-records';
import { branchLogPrefix, decodeJump, deletionPrefix, encodeJump } from '../messages/branch-jump.js';
import type { KvStore } from '@srv/kernel';
import type { BranchJump, Repository } from '../contract.js';

const dayMs = 86_400_000;

export class BranchJumps {
  readonly #records: Records<BranchJump>;
  /** The last deletion of each name, by the name alone: whether a name was used before is one read. */
  readonly #deletions: Records<BranchJump>;
  readonly #days: number;
  /** Of repositories in which no branch was ever deleted; present: this program alone uses the database. */
  readonly #withoutDeletions: PartitionsWithout | undefined;

  /** @param days that a jump is kept; 0: none is written. */
  constructor(kv: KvStore, days: number) {
    const kind = { what: 'branch log record', encode: encodeJump, decode: decodeJump };
    this.#records = new Records(kv, { prefix: branchLogPrefix.slice(0, -1), ...kind });
    this.#deletions = new Records(kv, { prefix: deletionPrefix.slice(0, -1), ...kind });
    this.#days = days;
    this.#withoutDeletions = kv.isShared ? undefined : new PartitionsWithout({ isLasting: true });
  }

  /** Before the branch moves. */
  async add(repository: Repository, jump: Omit<BranchJump, 'id' | 'time' | 'keptUntil'>): Promise<void> {
    if (this.#days === 0) return;
    const time = new Date();
    const id = descendingXid(runEpoch);
    const record = { ...jump, id, time, keptUntil: new Date(time.getTime() + this.#days * dayMs) };
    const partition = partitionOf(repository);
    await Promise.all([
      this.#records.set(partition, `${jump.branch}/${id}`, record),
      jump.operation === 'delete' && this.#addDeletion(partition, record),
    ]);
  }

  async #addDeletion(partition: string, jump: BranchJump): Promise<void> {
    try {
      await this.#deletions.set(partition, jump.branch, jump);
    } finally {
      this.#withoutDeletions?.forget(partition);
    }
  }

  /** Before a branch is created whose commits may say less than its name. */
  async addCreation(repository: Repository, jump: Omit<BranchJump, 'id' | 'time' | 'keptUntil' | 'from'>): Promise<void> {
    if (jump.operation === 'undelete' || (await this.#wasDeleted(repository, jump.branch)))
      await this.add(repository, { ...jump, from: '' });
  }

  async #wasDeleted(repository: Repository, branch: string): Promise<boolean> {
    const partition = partitionOf(repository);
    if (await this.#withoutDeletions?.has(partition, () => isEmpty(this.#deletions.scan(partition, '', 1)))) return false;
    const deletion = await this.#deletions.find(partition, branch);
    return deletion !== undefined && isKept(deletion.value);
  }

  /** Of one branch, newest first, from the one with the id `from` on. */
  async *of(repository: Repository, branch: string, from = ''): AsyncGenerator<BranchJump> {
    for await (const jump of this.#records.scan(partitionOf(repository), `${branch}/${from}`)) {
      if (jump.branch !== branch) return;
      if (isKept(jump)) yield jump;
    }
  }

  /** The newest deletion of each branch, in order of names after `after`. */
  async *deletions(repository: Repository, after = ''): AsyncGenerator<BranchJump> {
    let last = after;
    // No character of a name sorts after this.
    for await (const jump of this.#records.scan(partitionOf(repository), after === '' ? '' : `${after}/~`)) {
      if (jump.branch === last || jump.operation !== 'delete' || !isKept(jump)) continue;
      last = jump.branch;
      yield jump;
    }
  }

  /** Forgets what is no longer kept. */
  async pruneBranchLog(repository: Repository): Promise<void> {
    const partition = partitionOf(repository);
    for await (const jump of this.#records.scan(partition))
      if (!isKept(jump)) await this.#records.remove(partition, `${jump.branch}/${jump.id}`);
    for await (const jump of this.#deletions.scan(partition)) if (!isKept(jump)) await this.#deletions.remove(partition, jump.branch);
  }
}

async function isEmpty(pages: AsyncIterable<unknown>): Promise<boolean> {
  for await (const _ of pages) return false;
  return true;
}

function isKept({ keptUntil }: BranchJump): boolean {
  return keptUntil.getTime() > Date.now();
}
