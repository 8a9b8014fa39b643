/**
 * Moves a branch's head: one guarded change of the branch record, repeated when another one wins (versioning rules, sections 5.9, 5.10).
 *
 * A merge finds the branch clean and then takes its time, while writes continue in a new partition. Most of them may count as later
 * than the merge. Not so a write that relies on what the branch shows, such as one under a condition: it would hide what the merge
 * brings without having seen it. So the branch record says that its head is about to move. Such writes wait, or take the note
 * back before they write a row; then the move fails, and its next try finds the row. If this program alone uses the database
 * and the branch has no rows, the note is in memory (`moving-heads.ts`).
 */

import { SrvError } from '@srv/kernel';
import { newStagingToken, xid } from '@srv/lib-records';
import { KeyedLock } from '@srv/lib-stores/block';
import { foldedRows, unfoldedTokens } from './folded-rows.js';
import { encodeStaged } from './messages/index.js';
import { branchKey } from './moving-heads.js';
import { isEmptyPartition, scanStaged, tokensOf } from './staging.js';
import { stagingState } from './uncommitted.js';
import type { KvRecord } from '@srv/kernel';
import type { Branches } from './branches.js';
import type { Commits } from './commits.js';
import type { Repository } from './contract.js';
import type { StoredBranch } from './messages/index.js';
import type { MovingHeads } from './moving-heads.js';
import type { RefRetries } from './retried-operations.js';
import type { TokenCleaner } from './token-cleaner.js';
import type { UncommittedSources } from './uncommitted.js';

/** Sealed partitions a branch may keep after a failed commit. */
const sealedLimit = 8;
/** The same for partitions whose rows are folded: only commits and differences read them. */
const foldedLimit = 64;

/** Where a head moves. */
export interface NewHead {
  readonly commitId: string;
  /** What is to be stored with it, as {@link Branches.replace}. */
  readonly records?: readonly KvRecord[] | undefined;
}

interface HeadUpdateOptions extends UncommittedSources {
  readonly branches: Branches;
  readonly commits: Commits;
  readonly cleaner: TokenCleaner;
  readonly retries: RefRetries;
  /** Present: this program alone uses the database. */
  readonly moving: MovingHeads | undefined;
}

export class HeadUpdate {
  readonly #options: HeadUpdateOptions;
  readonly #lock = new KeyedLock();

  constructor(options: HeadUpdateOptions) {
    this.#options = options;
  }

  /** Head updates of one branch take turns within this process; against other processes the compare-and-set decides. */
  exclusively<T>(repository: Repository, branch: string, work: () => Promise<T>): Promise<T> {
    return this.#lock.run(branchKey(repository, branch), work);
  }

  /**
   * Whatever rows there are, none of them a change, go out of the way of writes that arrive from now on.
   * @returns the note that the branch record carries until it changes. `undefined`: it was changed meanwhile.
   * @throws SrvError `dirty_branch`.
   */
  async #announce(repository: Repository, branchId: string): Promise<string | undefined> {
    const { branches, cleaner } = this.#options;
    const record = await branches.read(repository, branchId);
    const branch = record.value;
    if ((await this.#state(repository, branch, tokensOf(branch))) === 'dirty') throw dirtyBranch(branchId);
    // Rows that are not folded go: they change nothing, and what is written to their partitions now follows the branch.
    const kept = foldedRows(branch) ? branch.sealedTokens : [];
    const headMove = xid();
    const next = { ...sealed(repository, { ...branch, sealedTokens: kept }), headMove };
    if (!(await branches.replace(repository, next, record))) return undefined;
    if (kept.length === 0) cleaner.dropSoon(branch.sealedTokens);
    return headMove;
  }

  /** Puts the rows written so far aside for a commit. `check` may refuse. */
  async seal(repository: Repository, branchId: string, check: (branch: StoredBranch) => Promise<void>): Promise<void> {
    await this.#options.retries.run('update_branch', `update branch ${branchId}`, async () => {
      const record = await this.#options.branches.read(repository, branchId);
      await check(record.value);
      if (await isEmptyPartition(this.#options.kv, record.value.stagingToken)) return true;
      return (await this.#options.branches.replace(repository, sealed(repository, record.value), record)) || undefined;
    });
  }

  /**
   * Sets the head to what `compute` returns and forgets the sealed rows. `compute` runs again, from the branch as
   * it then is, when another update wins.
   */
  async move(repository: Repository, branchId: string, compute: (branch: StoredBranch) => Promise<NewHead>): Promise<void> {
    const { branches, cleaner } = this.#options;
    const dropped = await this.#options.retries.run('update_branch', `update branch ${branchId}`, async () => {
      const record = await branches.read(repository, branchId);
      const branch = record.value;
      const { commitId, records } = await compute(branch);
      const moved = await branches.replace(repository, atHead(branch, commitId), record, records);
      return moved ? branch.sealedTokens : undefined;
    });
    cleaner.dropSoon(dropped);
  }

  /** The same for operations that need a clean branch. @throws SrvError `dirty_branch`. */
  async moveClean(repository: Repository, branchId: string, compute: (branch: StoredBranch) => Promise<NewHead>): Promise<void> {
    const { cleaner, moving, retries } = this.#options;
    const dropped = await retries.run('update_branch', `update branch ${branchId}`, async () => {
      const moved = await moving?.whileNoted(branchKey(repository, branchId), keep => this.#moveEmpty(repository, branchId, compute, keep));
      if (moved === 'overtaken') return undefined;
      return moved === 'moved' ? [] : this.#moveAnnounced(repository, branchId, compute);
    });
    cleaner.dropSoon(dropped);
  }

  /** A branch without any row, which is noted in memory. @returns `unfit`, and `compute` was not called, for other branches. */
  async #moveEmpty(
    repository: Repository,
    branchId: string,
    compute: (branch: StoredBranch) => Promise<NewHead>,
    keep: () => boolean,
  ): Promise<'moved' | 'overtaken' | 'unfit'> {
    const { branches, kv } = this.#options;
    const record = await branches.read(repository, branchId);
    const branch = record.value;
    if (branch.sealedTokens.length > 0 || !(await isEmptyPartition(kv, branch.stagingToken))) return 'unfit';
    const { commitId, records } = await compute(branch);
    return keep() && (await branches.replace(repository, atHead(branch, commitId), record, records)) ? 'moved' : 'overtaken';
  }

  /** @returns partitions whose rows have become superfluous; `undefined` when the branch was changed meanwhile. */
  async #moveAnnounced(
    repository: Repository,
    branchId: string,
    compute: (branch: StoredBranch) => Promise<NewHead>,
  ): Promise<readonly string[] | undefined> {
    const { branches, cleaner } = this.#options;
    const note = await this.#announce(repository, branchId);
    if (note === undefined) return undefined;
    const record = await branches.read(repository, branchId);
    const branch = record.value;
    if (branch.headMove !== note) return undefined;
    const isClean = (await this.#state(repository, branch, branch.sealedTokens)) !== 'dirty';
    let head: NewHead;
    try {
      if (!isClean) throw dirtyBranch(branchId);
      head = await compute(branch);
    } catch (error) {
      const back = isClean ? atHead(branch, branch.commitId) : { ...branch, headMove: undefined };
      if (await branches.replace(repository, back, record)) cleaner.dropSoon(isClean ? branch.sealedTokens : []);
      throw error;
    }
    return (await branches.replace(repository, atHead(branch, head.commitId), record, head.records)) ? branch.sealedTokens : undefined;
  }

  /** Forgets sealed rows that turned out to change nothing, unless the branch has moved on. */
  async forgetSealed(repository: Repository, { id, commitId, sealedTokens }: StoredBranch): Promise<void> {
    const record = await this.#options.branches.read(repository, id);
    const branch = record.value;
    if (branch.commitId !== commitId || branch.sealedTokens.join() !== sealedTokens.join()) return;
    if (await this.#options.branches.replace(repository, { ...branch, sealedTokens: [] }, record))
      await this.#options.cleaner.drop(sealedTokens);
  }

  /**
   * Gathers the sealed rows that are not folded in one partition when failed commits have left many: each of them slows every
   * read. Does nothing when the branch moves meanwhile.
   */
  async compactSealed(repository: Repository, branchId: string): Promise<void> {
    const { branches, cleaner } = this.#options;
    const record = await branches.read(repository, branchId);
    const unfolded = unfoldedTokens(record.value);
    if (unfolded.length <= sealedLimit) return;
    const token = await this.#gathered(repository, branchId, unfolded);
    const sealedTokens = [token, ...record.value.sealedTokens.slice(unfolded.length)];
    const gathered = await branches.replace(repository, { ...record.value, sealedTokens }, record);
    await cleaner.drop(gathered ? unfolded : [token]);
  }

  /**
   * Notes in the branch that its sealed rows are in a metarange. `apply` is given the branch with all rows sealed.
   * @returns false: the branch moved meanwhile, or has no rows that are not folded.
   */
  async fold(repository: Repository, branchId: string, apply: (branch: StoredBranch) => Promise<string>): Promise<boolean> {
    return this.exclusively(repository, branchId, async () => {
      const { branches, cleaner } = this.#options;
      await this.seal(repository, branchId, () => Promise.resolve());
      const record = await branches.read(repository, branchId);
      const branch = record.value;
      const [newest] = unfoldedTokens(branch);
      if (newest === undefined) return false;
      const metarangeId = await apply(branch);
      const isMany = branch.sealedTokens.length > foldedLimit;
      const token = isMany ? await this.#gathered(repository, branchId, branch.sealedTokens) : newest;
      const sealedTokens = isMany ? [token] : branch.sealedTokens;
      const folded = { token, commitId: branch.commitId, metarangeId };
      const isFolded = await branches.replace(repository, { ...branch, sealedTokens, folded }, record);
      if (isMany) await cleaner.drop(isFolded ? branch.sealedTokens : [token]);
      return isFolded;
    });
  }

  /** @returns a new partition with the rows of others. */
  async #gathered(repository: Repository, branchId: string, tokens: readonly string[]): Promise<string> {
    const { kv } = this.#options;
    const token = newStagingToken(repository, branchId);
    for await (const rows of scanStaged(kv, tokens))
      await Promise.all(rows.map(({ key, value }) => kv.set(token, key, encodeStaged(key, value))));
    return token;
  }

  /** Fresh, empty staging; returns when the old rows are out of sight. */
  async discardStaging(repository: Repository, branchId: string): Promise<void> {
    const { branches, cleaner } = this.#options;
    const dropped = await this.#options.retries.run('update_branch', `update branch ${branchId}`, async () => {
      const record = await branches.read(repository, branchId);
      const next = { ...record.value, stagingToken: newStagingToken(repository, branchId), sealedTokens: [] };
      return (await branches.replace(repository, next, record)) ? tokensOf(record.value) : undefined;
    });
    await cleaner.drop(dropped);
  }

  /** Whether rows of a branch change anything: of all its partitions unless `tokens` names some. */
  async isDirty(repository: Repository, branch: StoredBranch, tokens: readonly string[] = tokensOf(branch)): Promise<boolean> {
    return (await this.#state(repository, branch, tokens)) === 'dirty';
  }

  async #state(repository: Repository, branch: StoredBranch, tokens: readonly string[]) {
    if (tokens.length === 0) return 'empty';
    const metarangeId = branch.commitId === '' ? '' : (await this.#options.commits.get(repository, branch.commitId)).metarangeId;
    return stagingState(repository, tokens, metarangeId, this.#options);
  }
}

/** A move that was announced before will not happen: the branch is no longer as it found it. */
function sealed(repository: Repository, branch: StoredBranch): StoredBranch {
  return { ...branch, stagingToken: newStagingToken(repository, branch.id), sealedTokens: tokensOf(branch), headMove: undefined };
}

/** The rows put aside are committed, or changed nothing. */
function atHead(branch: StoredBranch, commitId: string): StoredBranch {
  return { ...branch, commitId, sealedTokens: [], headMove: undefined };
}

export function dirtyBranch(branch: string): SrvError {
  return new SrvError('dirty_branch', 'uncommitted changes (dirty branch)', { details: { branch } });
}
