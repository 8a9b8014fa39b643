/** What a ref shows: uncommitted rows over committed records. */

import { namespaceOf } from '@srv/lib-stores/block';
import { decodeValue } from '../tables/format/index.js';
import { BranchSnapshot } from './branch-snapshot.js';
import { findStaged, firstStagedKey, keyAfter, readStaged, scanStaged, tokensOf } from './staging.js';
import type { KvStore } from '@srv/kernel';
import type { CommittedCursor, CommittedStore } from '../tables/contract.js';
import type { Retirement } from './branch-snapshot.js';
import type { Commit, CommittedPart, KeyedValue, Repository, ResolvedRef, StoredValue, ViewCursor } from './contract.js';
import type { StagedRow } from './staging.js';

export interface ViewSources {
  readonly kv: KvStore;
  readonly committed: CommittedStore;
  /** Commit record of an id; `''` has none. */
  readonly commit: (id: string) => Promise<Commit>;
  /** Resolves the ref again. */
  readonly resolve: () => Promise<ResolvedRef>;
  readonly retirement: Retirement;
}

const noKey = Buffer.alloc(0);

function snapshotOf({ resolve, retirement }: ViewSources): Promise<BranchSnapshot<ResolvedRef>> {
  return BranchSnapshot.read({ read: resolve, branchOf: ({ branch }) => branch, retirement });
}

/** Value of one key, uncommitted writes first. */
export async function getFromView(repository: Repository, key: Buffer, sources: ViewSources): Promise<StoredValue | undefined> {
  for (;;) {
    const snapshot = await snapshotOf(sources);
    const { branch, commitId } = snapshot.value;
    const newest = branch && (await readStaged(sources.kv, branch.stagingToken, key));
    if (newest) return newest.value;
    // What a sealed partition or the commit has counts only while nothing newer has been emptied.
    const sealed = branch && (await findStaged(sources.kv, branch.sealedTokens, key));
    const older = sealed ? sealed.value : committedValue(repository, commitId, key, sources);
    const [value, isCurrent] = await Promise.all([older, snapshot.isCurrent()]);
    if (isCurrent) return value;
  }
}

/** Value of one key in a commit. */
export async function committedValue(
  repository: Repository,
  commitId: string,
  key: Buffer,
  { committed, commit }: Pick<ViewSources, 'committed' | 'commit'>,
): Promise<StoredValue | undefined> {
  if (commitId === '') return undefined;
  const value = await committed.get(namespaceOf(repository), (await commit(commitId)).metarangeId, key);
  return value && decodeValue(value);
}

/** {@link Versioning.committedPart}. */
export async function committedPart(from: Buffer, sources: ViewSources): Promise<CommittedPart> {
  for (;;) {
    const snapshot = await snapshotOf(sources);
    const { branch, commitId } = snapshot.value;
    const metarangeId = commitId === '' ? '' : (await sources.commit(commitId)).metarangeId;
    const uncommitted = branch && (await firstStagedKey(sources.kv, tokensOf(branch), from));
    if (await snapshot.isCurrent()) return { metarangeId, uncommitted };
  }
}

/** Rows to step over before a new scan is cheaper. */
const shortSkip = 8;

/** Walks a view in key order. Follows the branch when it changes meanwhile. */
export class BranchViewCursor implements ViewCursor {
  readonly #repository: Repository;
  readonly #sources: ViewSources;
  /** What is being read; absent: it has to be resolved again. */
  #snapshot: BranchSnapshot<ResolvedRef> | undefined;
  #rows: AsyncIterator<StagedRow[]> | undefined;
  #page: StagedRow[] = [];
  #at = 0;
  #stagingDone = false;
  #committed: CommittedCursor | undefined;
  #current: KeyedValue | undefined;
  #metarangeId: string | undefined;
  /** An uncommitted row has been among what was shown, or the commit has changed. */
  #isMixed = false;

  private constructor(repository: Repository, sources: ViewSources) {
    this.#repository = repository;
    this.#sources = sources;
  }

  /** @throws SrvError `not_found` for an unknown ref. */
  static async open(repository: Repository, sources: ViewSources): Promise<BranchViewCursor> {
    const cursor = new BranchViewCursor(repository, sources);
    await cursor.#refresh();
    return cursor;
  }

  get current(): KeyedValue | undefined {
    return this.#current;
  }

  get metarangeId(): string | undefined {
    return this.#isMixed ? undefined : this.#metarangeId;
  }

  async seek(key: Buffer): Promise<void> {
    do {
      if (!this.#snapshot) await this.#refresh();
      await this.#seekRows(key);
      await this.#committed?.seek(key);
      await this.#settle();
    } while (this.#snapshot === undefined);
  }

  next(): Promise<void> | undefined {
    const { key = noKey } = this.#current ?? {};
    const passing = this.#pass(key);
    const settling = passing ? passing.then(() => this.#settle()) : this.#settle();
    return settling?.then(() => (this.#snapshot === undefined ? this.seek(keyAfter(key)) : undefined));
  }

  close(): void {
    this.#committed?.close();
    this.#committed = undefined;
    void this.#rows?.return?.();
  }

  /** Reads the ref and opens what it names. */
  async #refresh(): Promise<void> {
    this.#snapshot = await snapshotOf(this.#sources);
    const { branch, commitId } = this.#snapshot.value;
    const metarangeId = commitId === '' ? '' : (await this.#sources.commit(commitId)).metarangeId;
    this.#isMixed ||= this.#metarangeId !== undefined && this.#metarangeId !== metarangeId;
    this.#metarangeId = metarangeId;
    this.#committed?.close();
    this.#committed = await this.#sources.committed.cursor(namespaceOf(this.#repository), metarangeId);
    this.#stagingDone = branch === undefined;
    this.#page = [];
    this.#at = 0;
    await this.#rows?.return?.();
    this.#rows = undefined;
  }

  get #row(): StagedRow | undefined {
    return this.#page[this.#at];
  }

  async #seekRows(key: Buffer): Promise<void> {
    for (let i = 0; i < shortSkip && this.#row && Buffer.compare(this.#row.key, key) < 0; i++) await this.#nextRow();
    if (this.#stagingDone || (this.#row && Buffer.compare(this.#row.key, key) >= 0)) return;
    const branch = this.#snapshot?.value.branch;
    if (!branch) return;
    await this.#rows?.return?.();
    this.#rows = scanStaged(this.#sources.kv, tokensOf(branch), key.length > 0 ? key : undefined);
    await this.#fill();
  }

  // What follows waits only where something has to be read: walks step over thousands of records.

  #nextRow(): Promise<void> | undefined {
    this.#at++;
    return this.#at >= this.#page.length ? this.#fill() : undefined;
  }

  async #fill(): Promise<void> {
    this.#at = 0;
    do {
      const { done, value } = (await this.#rows?.next()) ?? { done: true, value: undefined };
      const isCurrent = this.#snapshot !== undefined && (await this.#snapshot.isCurrent());
      if (!isCurrent) this.#snapshot = undefined;
      if (done || !isCurrent) {
        this.#page = [];
        this.#stagingDone = true;
        return;
      }
      this.#page = value;
    } while (this.#page.length === 0);
  }

  /** Moves both sides past `key`. */
  #pass(key: Buffer): Promise<void> | undefined {
    const row = this.#row?.key.equals(key) ? this.#nextRow() : undefined;
    if (!this.#committed?.valid || !this.#committed.key.equals(key)) return row;
    const record = this.#committed.next();
    return row && record ? Promise.all([row, record]).then(() => undefined) : (row ?? record);
  }

  /** Sets `current` to the smaller of both sides; a row hides the record of its key, a tombstone hides both. */
  #settle(): Promise<void> | undefined {
    for (;;) {
      const row = this.#row;
      const record = this.#committed?.valid ? this.#committed : undefined;
      if (row && (!record || Buffer.compare(row.key, record.key) <= 0)) {
        this.#isMixed = true;
        if (row.value) {
          this.#current = { key: row.key, value: row.value };
          return undefined;
        }
        const passing = this.#pass(row.key);
        if (passing) return passing.then(() => this.#settle());
        continue;
      }
      this.#current = record && { key: record.key, value: decodeValue(record.value) };
      return undefined;
    }
  }
}
