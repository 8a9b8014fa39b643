/** Writes to a branch's staging area (versioning rules, section 5): safe against commits that seal it meanwhile. */

import { setTimeout as sleep } from 'node:timers/promises';
import { SrvError, absent, isSrvError } from '@srv/kernel';
import { checkBranchId, checkWritable } from '@srv/lib-records';
import { BranchSnapshot, showsSame } from './branch-snapshot.js';
import { isBehind } from './branches.js';
import { ConditionalTombstone } from './conditional-tombstone.js';
import { unfoldedTokens } from './folded-rows.js';
import { encodeStaged } from './messages/index.js';
import { branchKey, headMovePatience } from './moving-heads.js';
import { findStaged, readStaged } from './staging.js';
import type { KvStore } from '@srv/kernel';
import type { Retirement } from './branch-snapshot.js';
import type { Branches } from './branches.js';
import type { ConditionalDeletion } from './conditional-tombstone.js';
import type { Forceable, Repository, SetOptions, StoredValue } from './contract.js';
import type { StoredBranch } from './messages/index.js';
import type { MovingHeads } from './moving-heads.js';
import type { Protection } from './protection.js';
import type { RefRetries } from './retried-operations.js';

/** What a write relied on: only the partition it wrote to, or everything the branch shows. `moved`: nothing was written. */
type Reliance = 'partition' | 'view' | 'moved';

type ValueOf = (repository: Repository, branch: StoredBranch, key: Buffer) => Promise<StoredValue | undefined>;

/** Milliseconds between two reads of a branch whose head is about to move. */
const headMovePause = 20;
/** Times a write follows the branch to a new partition: commits may come one after another without a pause. */
const tries = 10;
/** Times a compare-and-set of one row is repeated within one try. */
const rowTries = 20;
const maxDeleteKeys = 1000;
const parallelDeletes = 64;

interface WriteOptions extends Forceable {
  /** What is written depends on what the branch shows: it must not lie over a head that it has not seen. */
  readonly isRelying?: boolean;
}

interface BranchWriterOptions {
  readonly kv: KvStore;
  readonly branches: Branches;
  readonly protection: Protection;
  readonly retries: RefRetries;
  readonly retirement: Retirement;
  /** Present: this program alone uses the database. */
  readonly moving: MovingHeads | undefined;
  /** Value of a key at the branch's head. */
  readonly committedValue: ValueOf;
  /** The same with the rows that are folded into a metarange. */
  readonly baseValue: ValueOf;
}

export class BranchWriter {
  readonly #options: BranchWriterOptions;

  constructor(options: BranchWriterOptions) {
    this.#options = options;
  }

  /** @throws SrvError `protected` or `read_only`. */
  async check(repository: Repository, branch: string, { force = false }: Forceable = {}): Promise<void> {
    await this.#options.protection.require({ repository, branch, actions: ['staging_write'] }, 'cannot write to protected branch');
    checkWritable(repository, { force });
  }

  /** Refuses early what a write would refuse. */
  async checkBranchWrite(repository: Repository, branch: string, options: Forceable = {}): Promise<void> {
    checkBranchId(branch);
    await this.#options.branches.get(repository, branch);
    await this.check(repository, branch, options);
  }

  /**
   * @throws SrvError `precondition_failed` when the condition does not hold at the moment of writing. Errors say in
   * `details.unwritten` that no row was written: only then nothing can refer to the value.
   */
  async set(
    repository: Repository,
    branchId: string,
    key: Buffer,
    value: StoredValue,
    { condition, ...options }: SetOptions = {},
  ): Promise<void> {
    const bytes = encodeStaged(key, value);
    let written = false;
    const isMine = (current: StoredValue | undefined): boolean =>
      written && current?.identity.equals(value.identity) === true && current.data.equals(value.data);
    const decide = (current: StoredValue | undefined): Buffer => {
      if (!isMine(current) && condition?.(current) === false)
        throw new SrvError('precondition_failed', 'Precondition failed', { details: { path: key.toString('utf8') } });
      written = true;
      return bytes;
    };
    try {
      if (value.identity.length === 0) throw new SrvError('invalid', 'an entry without identity cannot be stored');
      await this.#write(repository, branchId, { ...options, isRelying: condition !== undefined }, async snapshot => {
        if (condition) return this.#replaceRow(repository, snapshot, key, decide);
        written = true;
        await this.#options.kv.set(snapshot.value.stagingToken, key, bytes);
        return 'partition';
      });
    } catch (error) {
      if (written || !isSrvError(error)) throw error;
      throw new SrvError(error.code, error.message, { cause: error, details: { ...error.details, unwritten: true } });
    }
  }

  /** @throws SrvError `not_found` when the key shows nothing. */
  async update(
    repository: Repository,
    branchId: string,
    key: Buffer,
    change: (current: StoredValue) => StoredValue,
    options: Forceable = {},
  ): Promise<void> {
    await this.#write(repository, branchId, { ...options, isRelying: true }, snapshot =>
      this.#replaceRow(repository, snapshot, key, current => {
        if (current === undefined)
          throw new SrvError('not_found', `${key.toString('utf8')}: not found`, { details: { path: key.toString('utf8') } });
        return encodeStaged(key, change(current));
      }),
    );
  }

  async delete(
    repository: Repository,
    branchId: string,
    keys: readonly Buffer[],
    { noTombstone = false, ...options }: Forceable & { noTombstone?: boolean } = {},
  ): Promise<void> {
    if (keys.length > maxDeleteKeys)
      throw new SrvError('invalid', `keys length (${keys.length}) passed the maximum allowed(${maxDeleteKeys})`);
    await this.#write(repository, branchId, options, async ({ value: branch }) => {
      let reliance: Reliance = 'partition';
      for (let at = 0; at < keys.length; at += parallelDeletes) {
        const found = await Promise.all(
          keys.slice(at, at + parallelDeletes).map(key => this.#deleteKey(repository, branch, key, noTombstone)),
        );
        if (found.includes('view')) reliance = 'view';
      }
      return reliance;
    });
  }

  /** @throws SrvError `not_found` when the key shows nothing, `precondition_failed` when the condition does not hold at that moment. */
  async deleteIf(
    repository: Repository,
    branchId: string,
    key: Buffer,
    condition: (current: StoredValue) => boolean,
    options: Forceable = {},
  ): Promise<void> {
    const [refusal] = await this.deleteEachIf(repository, branchId, [{ key, condition }], options);
    if (refusal) throw refusal;
  }

  /**
   * Deletes each key whose condition holds at that moment. Of several callers one deletes it.
   * @returns for each key what {@link deleteIf} would throw; `undefined`: it was deleted.
   */
  async deleteEachIf(
    repository: Repository,
    branchId: string,
    deletions: readonly ConditionalDeletion[],
    options: Forceable = {},
  ): Promise<(SrvError | undefined)[]> {
    const tombstones = deletions.map(deletion => new ConditionalTombstone(deletion));
    await this.#write(repository, branchId, { ...options, isRelying: true }, async snapshot => {
      let reliance: Reliance = 'view';
      for (let at = 0; at < tombstones.length; at += parallelDeletes)
        await Promise.all(
          tombstones.slice(at, at + parallelDeletes).map(async tombstone => {
            const isDecided = await tombstone.write(decide => this.#replaceRow(repository, snapshot, tombstone.key, decide));
            if (!isDecided) reliance = 'moved';
          }),
        );
      return reliance;
    });
    return tombstones.map(({ refusal }) => refusal);
  }

  /** Makes the branch show again what is committed at the key. */
  async resetKeys(
    repository: Repository,
    branchId: string,
    keysOf: (branch: StoredBranch) => AsyncIterable<readonly Buffer[]>,
    options: Forceable,
  ): Promise<void> {
    await this.#write(repository, branchId, { ...options, isRelying: true }, async ({ value: branch }) => {
      for await (const keys of keysOf(branch)) await Promise.all(keys.map(key => this.#resetKey(repository, branch, key)));
      return 'view';
    });
  }

  /**
   * Runs a write until the branch it relied on is still the branch afterwards. Also a refusal counts only then: while
   * the branch stays as it is, no partition it names is emptied.
   */
  async #write(
    repository: Repository,
    branchId: string,
    options: WriteOptions,
    operation: (snapshot: BranchSnapshot<StoredBranch>) => Promise<Reliance>,
  ): Promise<void> {
    const { moving } = this.#options;
    if (!moving || !options.isRelying) return this.#follow(repository, branchId, options, operation);
    await moving.relying(branchKey(repository, branchId), () => this.#follow(repository, branchId, options, operation));
  }

  async #follow(
    repository: Repository,
    branchId: string,
    { isRelying = false, ...options }: WriteOptions,
    operation: (snapshot: BranchSnapshot<StoredBranch>) => Promise<Reliance>,
  ): Promise<void> {
    const { branches, retirement } = this.#options;
    const read = async (): Promise<StoredBranch> => (await branches.read(repository, branchId)).value;
    const source = { read, branchOf: (branch: StoredBranch) => branch, retirement };
    // Begun before the rules are asked for: a database answers both together, as they were at one moment.
    const reading = BranchSnapshot.read({ ...source, read: () => branches.get(repository, branchId) });
    reading.catch(() => undefined);
    await this.check(repository, branchId, options);
    let snapshot = await reading;
    if (isBehind(repository, snapshot.value)) snapshot = await BranchSnapshot.read(source);
    branches.requireEpoch(repository, snapshot.value);
    for (let attempt = 1; ; attempt++) {
      while (isRelying && snapshot.value.headMove !== undefined) {
        await this.#awaitHead(repository, branchId, snapshot.value.headMove);
        snapshot = await BranchSnapshot.read(source);
      }
      let reliance: Reliance = 'view';
      let refusal: unknown;
      try {
        reliance = await operation(snapshot);
      } catch (error) {
        if (!isSrvError(error, 'precondition_failed', 'not_found')) throw error;
        refusal = error;
      }
      const branch = snapshot.value;
      snapshot = await BranchSnapshot.read(source);
      const after = snapshot.value;
      branches.requireEpoch(repository, after);
      const samePartition = after.stagingToken === branch.stagingToken;
      if (reliance !== 'moved' && samePartition && (reliance === 'partition' || showsSame(after, branch))) {
        if (refusal === undefined) return;
        throw refusal;
      }
      if (attempt === tries) throw new SrvError('too_many_tries', 'Too many attempts, try again later', { details: { branch: branchId } });
      this.#options.retries.count('follow_branch');
    }
  }

  /** Until the head has moved, or the note that it is about to move was taken back: by its writer or, after a while, by this. */
  async #awaitHead(repository: Repository, branchId: string, note: string): Promise<void> {
    const { branches } = this.#options;
    for (const end = performance.now() + headMovePatience; performance.now() < end; await sleep(headMovePause))
      if ((await branches.read(repository, branchId)).value.headMove !== note) return;
    const record = await branches.read(repository, branchId);
    if (record.value.headMove === note) await branches.replace(repository, { ...record.value, headMove: undefined }, record);
  }

  /**
   * Compare-and-set of one row of the staging partition, deciding from what the whole branch shows at the key. A row
   * written because a row was missing from a partition emptied meanwhile could not be distinguished from a correct one.
   */
  async #replaceRow(
    repository: Repository,
    snapshot: BranchSnapshot<StoredBranch>,
    key: Buffer,
    decide: (current: StoredValue | undefined) => Buffer,
  ): Promise<Reliance> {
    const { kv, retries } = this.#options;
    const branch = snapshot.value;
    for (let i = 0; i < rowTries; i++) {
      const row = await readStaged(kv, branch.stagingToken, key);
      const below = row ? undefined : await this.#below(repository, branch, key);
      if (!row && !(await snapshot.isCurrent())) return 'moved';
      const bytes = decide(row ? row.value : below);
      if (await kv.setIf(branch.stagingToken, key, bytes, row ? row.predicate : absent)) return 'view';
      retries.count('stage_entry');
    }
    throw tooManyTries(key);
  }

  /** What the branch would show without its staging partition. */
  async #below(repository: Repository, branch: StoredBranch, key: Buffer): Promise<StoredValue | undefined> {
    const row = await findStaged(this.#options.kv, unfoldedTokens(branch), key);
    return row ? row.value : this.#options.baseValue(repository, branch, key);
  }

  /**
   * A tombstone where something has to be hidden. A row of a sealed partition always counts as something: it may be this
   * very call's earlier try, which the commit under way no longer saw.
   */
  async #deleteKey(repository: Repository, branch: StoredBranch, key: Buffer, noTombstone: boolean): Promise<Reliance> {
    const { kv, baseValue, retries } = this.#options;
    const tombstone = encodeStaged(key, undefined);
    for (let i = 0; i < rowTries; i++) {
      const row = await readStaged(kv, branch.stagingToken, key);
      if (row && !row.value) return 'partition';
      const hidden =
        (row && !noTombstone) || (await findStaged(kv, unfoldedTokens(branch), key)) || (await baseValue(repository, branch, key));
      if (!hidden) {
        if (row) await kv.delete(branch.stagingToken, key);
        return 'view';
      }
      if (await kv.setIf(branch.stagingToken, key, tombstone, row ? row.predicate : absent)) return row ? 'partition' : 'view';
      retries.count('stage_entry');
    }
    throw tooManyTries(key);
  }

  async #resetKey(repository: Repository, branch: StoredBranch, key: Buffer): Promise<void> {
    const { kv, committedValue, retries } = this.#options;
    const committed = await committedValue(repository, branch, key);
    const bytes = encodeStaged(key, committed);
    for (let i = 0; i < rowTries; i++) {
      const row = await readStaged(kv, branch.stagingToken, key);
      if (!row && !(await findStaged(kv, branch.sealedTokens, key))) return;
      if (row && (row.value === undefined ? committed === undefined : committed?.identity.equals(row.value.identity))) return;
      if (await kv.setIf(branch.stagingToken, key, bytes, row ? row.predicate : absent)) return;
      retries.count('stage_entry');
    }
    throw tooManyTries(key);
  }
}

function tooManyTries(key: Buffer): SrvError {
  return new SrvError('too_many_tries', 'Too many attempts, try again later', { details: { path: key.toString('utf8') } });
}
