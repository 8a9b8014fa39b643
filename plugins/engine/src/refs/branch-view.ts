/** What a ref shows: uncommitted rows over committed records. */

import { namespaceOf } from '@srv/lib-stores/block';
import { decodeValue } from '../tables/format/index.js';
import { BranchSnapshot } from './branch-snapshot.js';
import { foldedRows, unfoldedTokens } from './folded-rows.js';
import { findStaged, firstStagedKey, keyAfter, readStaged, scanStaged } from './staging.js';
import type { KvStore } from '@srv/kernel';
import type { CommittedCursor, CommittedStore } from '../tables/contract.js';
import type { Retirement } from './branch-snapshot.js';
import type { Branch, Commit, CommittedPart, KeyedValue, Repository, ResolvedRef, StoredValue, ViewCursor } from './contract.js';
import type { StagedRow } from './staging.js';

export interface ViewSources {
  readonly kv: KvStore;
  readonly committed: CommittedStore;
  /** Commit record of an id; `''` has none. */
  readonly commit: (id: string) => Promise<Commit>;
  /** Resolves the ref again. */
  readonly resolve: () => Promise<ResolvedRef>;
  readonly retirement: Retirement;
  /** Called when a walk that ends has read this many uncommitted rows of a branch. */
  readonly walked: (branch: Branch, rows: number) => void;
}

const noKey = Buffer.alloc(0);

function snapshotOf({ resolve, retirement }: ViewSources): Promise<BranchSnapshot<ResolvedRef>> {
  return BranchSnapshot.read({ read: resolve, branchOf: ({ branch }) => branch, retirement });
}

/** Value of one key, uncommitted writes first. */
export async function getFromView(repository: Repository, key: Buffer, sources: ViewSources): Promise<StoredValue | undefined> {
  for (;;) {
    const snapshot = await snapshotOf(sources);
    const { branch } = snapshot.value;
    const newest = branch && (await readStaged(sources.kv, branch.stagingToken, key));
    if (newest) return newest.value;
    // What a sealed partition or the commit has counts only while nothing newer has been emptied.
    const sealed = branch && (await findStaged(sources.kv, unfoldedTokens(branch), key));
    const older = sealed ? sealed.value : baseValue(repository, snapshot.value, key, sources);
    const [value, isCurrent] = await Promise.all([older, snapshot.isCurrent()]);
    if (isCurrent) return value;
  }
}

type Shown = Pick<ResolvedRef, 'commitId' | 'branch'>;

/** What the ref shows below rows that are not folded: the metarange of its commit, or that of the branch's folded rows. */
async function baseOf({ commitId, branch }: Shown, commit: ViewSources['commit']): Promise<string> {
  const folded = branch && foldedRows(branch);
  if (folded) return folded.metarangeId;
  return commitId === '' ? '' : (await commit(commitId)).metarangeId;
}

/** Value of one key in it; without a branch, in the commit. */
export async function baseValue(
  repository: Repository,
  shown: Shown,
  key: Buffer,
  { committed, commit }: Pick<ViewSources, 'committed' | 'commit'>,
): Promise<StoredValue | undefined> {
  const metarangeId = await baseOf(shown, commit);
  const value = metarangeId === '' ? undefined : await committed.get(namespaceOf(repository), metarangeId, key);
  return value && decodeValue(value);
}

/** Partitions whose rows lie over it, newest first. */
function rowTokens(branch: Branch): readonly string[] {
  return [branch.stagingToken, ...unfoldedTokens(branch)];
}

/** {@link Versioning.committedPart}. */
export async function committedPart(from: Buffer, sources: ViewSources): Promise<CommittedPart> {
  for (;;) {
    const snapshot = await snapshotOf(sources);
    const { branch } = snapshot.value;
    const metarangeId = await baseOf(snapshot.value, sources.commit);
    const uncommitted = branch && (await firstStagedKey(sources.kv, rowTokens(branch), from));
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
  #rowsRead = 0;

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
    const branch = this.#snapshot?.value.branch;
    if (branch) this.#sources.walked(branch, this.#rowsRead);
    this.#committed?.close();
    this.#committed = undefined;
    void this.#rows?.return?.();
  }

  /** Reads the ref and opens what it names. */
  async #refresh(): Promise<void> {
    this.#snapshot = await snapshotOf(this.#sources);
    const { branch } = this.#snapshot.value;
    const metarangeId = await baseOf(this.#snapshot.value, this.#sources.commit);
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
    this.#rows = scanStaged(this.#sources.kv, rowTokens(branch), key.length > 0 ? key : undefined);
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
      this.#rowsRead += value.length;
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
