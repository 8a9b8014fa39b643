/** Commit records: immutable, named by their content. */

import { Pace, SrvError } from '@srv/kernel';
import { Records, partitionOf } from '@srv/lib-records';
import { commitId, commitVersion, decodeCommit, encodeCommit } from './messages/index.js';
import type { KvRecord, KvStore } from '@srv/kernel';
import type { ExpiringCache } from '@srv/kernel/cache';
import type { Commit, Repository } from './contract.js';
import type { ReadBatcher } from './read-batcher.js';
import type { RefRetries } from './retried-operations.js';

export type NewCommit = Omit<Commit, 'id' | 'version'>;

export class Commits {
  readonly #records: Records<Commit>;
  readonly #isStoredWithHead: boolean;
  readonly #cache: ExpiringCache<Commit>;
  readonly #batcher: ReadBatcher;
  readonly #retries: RefRetries;

  constructor(kv: KvStore, cache: ExpiringCache<Commit>, batcher: ReadBatcher, retries: RefRetries) {
    this.#records = new Records(kv, { prefix: 'commits', what: 'commit', encode: encodeCommit, decode: decodeCommit });
    this.#isStoredWithHead = kv.setIfWith !== undefined;
    this.#cache = cache;
    this.#batcher = batcher;
    this.#retries = retries;
  }

  /** Stores a commit under the id of its content. An identical existing one is accepted. */
  async add(repository: Repository, commit: NewCommit): Promise<Commit> {
    const full = named(commit);
    const { id } = full;
    return this.#retries.run('add_commit', `add commit ${id}`, async () => {
      const added = await this.#records.createIfAbsent(partitionOf(repository), id, full);
      return added ? full : this.find(repository, id);
    });
  }

  /**
   * Of a database that can write it together with the branch record that names it, which costs one wait for the disk
   * instead of two. @returns the commit and its record; `undefined`: {@link add} it first.
   */
  storedWithHead(repository: Repository, commit: NewCommit): { readonly commit: Commit; readonly record: KvRecord } | undefined {
    if (!this.#isStoredWithHead) return undefined;
    const full = named(commit);
    return { commit: full, record: this.#records.record(partitionOf(repository), full.id, full) };
  }

  /** Stores a record as given. @throws SrvError `not_unique` when it exists. */
  async addRecord(repository: Repository, commit: Commit): Promise<void> {
    const id = commitId(commit);
    if (id !== commit.id)
      throw new SrvError('invalid', `commit id: invalid value: ${commit.id} is not the content's id ${id}: validation error`);
    await this.#records.create(partitionOf(repository), id, commit);
  }

  async get(repository: Repository, id: string): Promise<Commit> {
    const key = `${repository.instanceUid} ${id}`;
    return (
      this.#cache.peek(key) ??
      this.#cache.get(
        key,
        async () => (await this.#batcher.read(`commit ${key}`, () => this.#records.get(partitionOf(repository), id))).value,
      )
    );
  }

  /** {@link get} for a walk over history: memory may answer thousands of reads, one after another. */
  walk(repository: Repository): (id: string) => Promise<Commit> {
    const pace = new Pace();
    return async id => {
      await pace.rest();
      return this.get(repository, id);
    };
  }

  async find(repository: Repository, id: string): Promise<Commit | undefined> {
    const cached = this.#cache.peek(`${repository.instanceUid} ${id}`);
    return cached ?? (await this.#records.find(partitionOf(repository), id))?.value;
  }

  /** The only commit whose id starts with `prefix`; `undefined` for none or several. */
  async findByPrefix(repository: Repository, prefix: string): Promise<Commit | undefined> {
    const found: Commit[] = [];
    for await (const commit of this.#records.scan(partitionOf(repository), prefix, 2)) {
      if (!commit.id.startsWith(prefix) || found.push(commit) > 1) break;
    }
    return found.length === 1 ? found[0] : undefined;
  }

  scan(repository: Repository): AsyncIterable<Commit> {
    return this.#records.scan(partitionOf(repository));
  }
}

/** Under the id of its content. */
function named(commit: NewCommit): Commit {
  return { ...commit, id: commitId(commit), version: commitVersion };
}
