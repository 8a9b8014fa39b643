/** What a ref shows: uncommitted rows over committed records. */
import { decodeValue } from '@srv/committed/format';
import type { CommittedCursor, CommittedStore } from '@srv/committed/contract';
import type { KvStore } from '@srv/kernel';
import type { Commit, CommittedPart, KeyedValue, Repository, ResolvedRef, StoredValue, ViewCursor } from '../contract.js';
import { findStaged, firstStagedKey, scanStaged, tokensOf } from './staging.js';
import type { StagedRow } from './staging.js';

export interface ViewSources {
  readonly kv: KvStore;
  readonly committed: CommittedStore;
  /** Commit record of an id; `''` has none. */
  readonly commit: (id: string) => Promise<Commit>;
  /** Resolves the ref anew. */
  readonly resolve: () => Promise<ResolvedRef>;
  /** Milliseconds for which a branch record may be relied on: this program does not empty partitions it names sooner. */
  readonly freshness: number;
  /**
   * Other programs may use the database, which empty partitions as soon as no branch names them: what is missing in a
   * partition counts only when the branch still names it after the look.
   */
  readonly isShared: boolean;
}

const noKey = Buffer.alloc(0);

/** Value of one key, uncommitted writes first. */
export async function getFromView(repository: Repository, key: Buffer, sources: ViewSources): Promise<StoredValue | undefined> {
  for (;;) {
    const readAt = Date.now();
    const ref = await sources.resolve();
    const row = ref.branch && (await findStaged(sources.kv, tokensOf(ref.branch), key));
    if (row) return row.value;
    const [value, isSame] = await Promise.all([committedValue(repository, ref.commitId, key, sources), namesTheSame(ref, sources)]);
    if (ref.branch === undefined || (isSame && Date.now() - readAt <= sources.freshness)) return value;
  }
}

/** Whether the branch is still what it was. A store that only this program uses need not be asked. */
async function namesTheSame(ref: ResolvedRef, { isShared, resolve }: ViewSources): Promise<boolean> {
  if (!isShared || ref.branch === undefined) return true;
  const { branch, commitId } = await resolve();
  const [before, now] = [tokensOf(ref.branch), branch ? tokensOf(branch) : []];
  return commitId === ref.commitId && before.length === now.length && before.every((token, i) => token === now[i]);
}

/** Value of one key in a commit. */
export async function committedValue(
  repository: Repository,
  commitId: string,
  key: Buffer,
  { committed, commit }: Pick<ViewSources, 'committed' | 'commit'>,
): Promise<StoredValue | undefined> {
  if (commitId === '') return undefined;
  const value = await committed.get(repository.storageNamespace, (await commit(commitId)).metarangeId, key);
  return value && decodeValue(value);
}

/** {@link Versioning.committedPart}. */
export async function committedPart(from: Buffer, sources: ViewSources): Promise<CommittedPart> {
  const { kv, commit, resolve, freshness } = sources;
  for (;;) {
    const readAt = Date.now();
    const ref = await resolve();
    const { branch, commitId } = ref;
    const metarangeId = commitId === '' ? '' : (await commit(commitId)).metarangeId;
    const uncommitted = branch && (await firstStagedKey(kv, tokensOf(branch), from));
    if (branch === undefined || ((await namesTheSame(ref, sources)) && Date.now() - readAt <= freshness))
      return { metarangeId, uncommitted };
  }
}

/** Rows to step over before a new scan is cheaper. */
const shortSkip = 8;

/** Walks a view in key order. Follows the branch when it changes meanwhile. */
export class BranchViewCursor implements ViewCursor {
  readonly #repository: Repository;
  readonly #sources: ViewSources;
  /** What is being read; absent: it has to be resolved again. */
  #ref: ResolvedRef | undefined;
  #readAt = 0;
  #rows: AsyncIterator<StagedRow[]> | undefined;
  #page: StagedRow[] = [];
  #at = 0;
  #stagingDone = false;
  #committed: CommittedCursor | undefined;
  #current: KeyedValue | undefined;
  #metarangeId: string | undefined;
  /** An uncommitted row has been among what was shown, or the commit has changed. */
  #isMixed = false;

  constructor(repository: Repository, sources: ViewSources) {
    this.#repository = repository;
    this.#sources = sources;
  }

  get current(): KeyedValue | undefined {
    return this.#current;
  }

  get metarangeId(): string | undefined {
    return this.#isMixed ? undefined : this.#metarangeId;
  }

  async seek(key: Buffer): Promise<void> {
    do {
      await this.#refresh();
      await this.#seekRows(key);
      await this.#committed?.seek(key);
      await this.#settle();
    } while (this.#ref === undefined);
  }

  next(): Promise<void> | undefined {
    const { key = noKey } = this.#current ?? {};
    if (Date.now() - this.#readAt > this.#sources.freshness) return this.seek(after(key));
    const passing = this.#pass(key);
    const settling = passing ? passing.then(() => this.#settle()) : this.#settle();
    return settling?.then(() => (this.#ref === undefined ? this.seek(after(key)) : undefined));
  }

  close(): void {
    this.#committed?.close();
    this.#committed = undefined;
    void this.#rows?.return?.();
  }

  /** Reads the ref, again when the last reading is too old, and opens what it names. */
  async #refresh(): Promise<void> {
    if (this.#ref !== undefined && (this.#ref.branch === undefined || Date.now() - this.#readAt <= this.#sources.freshness)) return;
    this.#readAt = Date.now();
    this.#ref = await this.#sources.resolve();
    const { commitId } = this.#ref;
    const metarangeId = commitId === '' ? '' : (await this.#sources.commit(commitId)).metarangeId;
    this.#isMixed ||= this.#metarangeId !== undefined && this.#metarangeId !== metarangeId;
    this.#metarangeId = metarangeId;
    this.#committed?.close();
    this.#committed = await this.#sources.committed.cursor(this.#repository.storageNamespace, metarangeId);
    this.#stagingDone = this.#ref.branch === undefined;
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
    const branch = this.#ref?.branch;
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
      const isSame = this.#ref !== undefined && (await namesTheSame(this.#ref, this.#sources));
      if (!isSame) this.#ref = undefined;
      if (done || !isSame) {
        this.#page = [];
        this.#stagingDone = true;
        return;
      }
      this.#page = value;
    } while (this.#page.length === 0);
  }

  /** Moves both sides behind `key`. */
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

/** The smallest key greater than `key`. */
function after(key: Buffer): Buffer {
  return Buffer.concat([key, Buffer.of(0)]);
}
