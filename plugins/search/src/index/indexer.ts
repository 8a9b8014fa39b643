/**
 * Indexes commits: first their parents, then the ranges that no parent has, then the authors of their entries; last the snapshot
 * of the commit, which names the rest. Every file is named by what it is made of, so that an indexer that dies at any step,
 * or works beside another one, leaves only files that the next one uses.
 */
import { buffer } from 'node:stream/consumers';
import { SrvError, isSrvError, throwIfAborted } from '@srv/kernel';
import { inParallel, namespaceOf } from '@srv/lib-stores/block';
import { ParentWalk, attribute } from './attribute.js';
import type { Commit, Engine, RangeDescriptor, Repository } from '@srv/engine/contract';
import type { IndexedRange, Snapshot } from '../format/snapshot.js';
import type { IndexFiles } from './index-files.js';
import type { RangeThreads } from './threads.js';

interface IndexerOptions {
  readonly engine: Pick<Engine, 'getCommit' | 'tables'>;
  readonly files: IndexFiles;
  readonly threads: RangeThreads;
  /** Ranges read at a time. */
  readonly parallel: number;
}

/** How far an index of a history is. */
export interface IndexProgress {
  /** Commits that are not indexed yet. */
  readonly waiting: number;
  /** When the work on them began; milliseconds since 1970. */
  readonly since: number;
}

export class Indexer {
  readonly #options: IndexerOptions;
  /** By instance of the repository: the work under way, in order. */
  readonly #working = new Map<string, Promise<unknown>>();
  readonly #progress = new Map<string, IndexProgress>();

  constructor(options: IndexerOptions) {
    this.#options = options;
  }

  progress({ instanceUid }: Repository): IndexProgress | undefined {
    return this.#progress.get(instanceUid);
  }

  /**
   * The index of a commit, which is made first if it does not exist.
   * @param commit full id.
   */
  async ensure(repository: Repository, commit: string, signal?: AbortSignal): Promise<Snapshot> {
    const known = await this.#options.files.findSnapshot(repository, commit);
    if (known) return known;
    try {
      return await this.#inTurn(repository, () => this.#index(repository, commit, signal));
    } catch (error) {
      if (!isSrvError(error, 'no_data')) throw error;
      return this.repair(repository, commit, signal);
    }
  }

  /** Makes an index again one of whose files is missing, as after a rebuild that another server began. */
  async repair(repository: Repository, commit: string, signal?: AbortSignal): Promise<Snapshot> {
    return this.#inTurn(repository, async () => {
      await this.#options.files.clear(repository, signal);
      return this.#index(repository, commit, signal);
    });
  }

  /** Removes everything that was made of a repository. */
  async clear(repository: Repository, signal?: AbortSignal): Promise<void> {
    await this.#inTurn(repository, () => this.#options.files.clear(repository, signal));
  }

  /** Makes the index file of a range, if it does not exist. */
  async ensureRange(repository: Repository, { id, count }: Pick<RangeDescriptor, 'id' | 'count'>): Promise<void> {
    const { engine, files, threads } = this.#options;
    if (await files.hasRange(repository, id)) return;
    const bytes = await buffer((await engine.tables.open(namespaceOf(repository), 'range', id)).body);
    await files.writeRange(repository, id, await threads.columns(bytes, id, count));
  }

  /** One work at a time for a repository: commits share most of theirs. */
  async #inTurn<T>({ instanceUid }: Repository, work: () => Promise<T>): Promise<T> {
    const before = this.#working.get(instanceUid) ?? Promise.resolve();
    const mine = before.then(work, work);
    const ended = mine.catch(() => undefined);
    this.#working.set(instanceUid, ended);
    try {
      return await mine;
    } finally {
      if (this.#working.get(instanceUid) === ended) this.#working.delete(instanceUid);
    }
  }

  async #index(repository: Repository, commit: string, signal: AbortSignal | undefined): Promise<Snapshot> {
    const { files } = this.#options;
    const missing = await this.#missing(repository, commit, signal);
    const since = Date.now();
    try {
      for (const [i, next] of missing.entries()) {
        throwIfAborted(signal);
        this.#progress.set(repository.instanceUid, { waiting: missing.length - i, since });
        await this.#indexOne(repository, next, signal);
      }
    } finally {
      this.#progress.delete(repository.instanceUid);
    }
    return files.snapshot(repository, commit);
  }

  /** The commit and all its ancestors that are not indexed, ancestors first. */
  async #missing(repository: Repository, commit: string, signal: AbortSignal | undefined): Promise<string[]> {
    const { engine, files } = this.#options;
    const order: string[] = [];
    const seen = new Set<string>();
    const open: { readonly id: string; readonly parents: readonly string[]; at: number }[] = [];
    const enter = async (id: string): Promise<void> => {
      if (seen.has(id)) return;
      seen.add(id);
      throwIfAborted(signal);
      if (await files.findSnapshot(repository, id)) return;
      open.push({ id, parents: (await engine.getCommit(repository, id)).parents, at: 0 });
    };
    await enter(commit);
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const parent = top.parents[top.at++];
      if (parent !== undefined) await enter(parent);
      else {
        order.push(top.id);
        open.pop();
      }
    }
    return order;
  }

  async #indexOne(repository: Repository, id: string, signal: AbortSignal | undefined): Promise<void> {
    const { engine, files } = this.#options;
    const commit = await engine.getCommit(repository, id);
    const parents = await Promise.all(commit.parents.map(parent => files.snapshot(repository, parent)));
    const inFirst = new Map((parents[0]?.ranges ?? []).map(range => [range.id, range]));
    const ranges: RangeDescriptor[] = [];
    for await (const page of engine.tables.ranges(namespaceOf(repository), commit.metarangeId)) ranges.push(...page);
    const added = ranges.filter(range => !inFirst.has(range.id));
    await inParallel(added, this.#options.parallel, range => this.ensureRange(repository, range));
    const authors = await this.#authors(repository, commit, { added, parents, signal });
    await files.writeSnapshot(repository, {
      commit: id,
      metarange: commit.metarangeId,
      ranges: ranges.map(({ id: range, count, minKey, maxKey }) => {
        const by = inFirst.get(range)?.by ?? authors.get(range);
        if (!by) throw new SrvError('internal', `range ${range} has no authors`);
        return { id: range, count, minKey, maxKey, by };
      }),
    });
  }

  /** Who wrote the entries of the ranges that the first parent does not have. */
  async #authors(
    repository: Repository,
    commit: Commit,
    { added, parents, signal }: { added: readonly RangeDescriptor[]; parents: readonly Snapshot[]; signal: AbortSignal | undefined },
  ): Promise<Map<string, IndexedRange['by']>> {
    const { engine, files } = this.#options;
    const found = new Map<string, IndexedRange['by']>();
    if (parents.every(({ ranges }) => ranges.length === 0)) {
      for (const { id } of added) found.set(id, { commit: commit.id });
      return found;
    }
    const sources = { repository, files, committed: engine.tables, signal };
    const walks = parents.map(parent => new ParentWalk(parent, commit.metarangeId, sources));
    try {
      for (const { id, count } of added) {
        const writer = await attribute(commit.id, { texts: await files.texts(repository, id, 'path'), count }, walks, signal);
        const { single } = writer;
        found.set(id, single === undefined ? { file: await files.writeAttribution(repository, writer.encode()) } : { commit: single });
      }
    } finally {
      await Promise.all(walks.map(walk => walk.close()));
    }
    return found;
  }
}
