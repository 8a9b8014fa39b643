/**
 * Indexes commits: first their parents; then what differs from the ranges of the first parent's index, where that is little; elsewhere
 * the ranges that it does not have, and the authors of their entries; last the snapshot of the commit, which names the rest. Every file is named by what it is made of, so that an indexer that dies at any step,
 * or works beside another one, leaves only files that the next one uses.
 */
import { buffer } from 'node:stream/consumers';
import { SrvError, throwIfAborted } from '@srv/kernel';
import { inParallel, namespaceOf } from '@srv/lib-stores/block';
import { ParentWalk, attribute } from './attribute.js';
import { planChanges } from './changes.js';
import { MissingIndexFile, changesFile, rangeFile } from './index-files.js';
import type { Commit, Engine, RangeDescriptor, Repository } from '@srv/engine/contract';
import type { Authors, IndexedRange, Snapshot } from '../format/snapshot.js';
import type { AttributionSources } from './attribute.js';
import type { Plan } from './changes.js';
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
      if (!(error instanceof MissingIndexFile)) throw error;
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
    const ranges: RangeDescriptor[] = [];
    for await (const page of engine.tables.ranges(namespaceOf(repository), commit.metarangeId)) ranges.push(...page);
    const work = { repository, commit, parents, ranges, signal };
    const { pieces, changes } = await this.#plan(work);
    const unchanged = parents[0] ? await this.#unchanged(repository, parents[0]) : new Map<string, Authors>();
    const added = pieces.flatMap(piece => ('own' in piece ? piece.own : [])).filter(range => !unchanged.has(range.id));
    await inParallel(added, this.#options.parallel, range => this.ensureRange(repository, range));
    const authors = await this.#authors(work, added);
    const attributed = ({ id: range, count, minKey, maxKey }: RangeDescriptor): IndexedRange => {
      const by = unchanged.get(range) ?? authors.get(range);
      if (!by) throw new SrvError('internal', `range ${range} has no authors`);
      return { id: range, count, minKey, maxKey, by };
    };
    await files.writeSnapshot(repository, {
      commit: id,
      metarange: commit.metarangeId,
      ranges: pieces.flatMap(piece => ('own' in piece ? piece.own.map(attributed) : piece.indexed)),
      changes,
    });
  }

  /** Which ranges of the first parent's index stay, and what is beside them. */
  async #plan({ repository, commit, parents, ranges, signal }: CommitWork): Promise<Plan> {
    const [first, ...rest] = parents;
    if (!first || first.ranges.length === 0) return { pieces: [{ own: ranges }] };
    const sources = this.#sources(repository, signal);
    const others = await openWalks(rest, commit, sources);
    try {
      return await planChanges({ commit, ranges, first, others }, sources);
    } finally {
      await closeWalks(others);
    }
  }

  /** Ranges of a snapshot in which it changes nothing, with their authors. */
  async #unchanged(repository: Repository, { ranges, changes }: Snapshot): Promise<ReadonlyMap<string, Authors>> {
    const paths = changes && (await this.#options.files.texts(repository, changesFile(changes.id), 'path'));
    let at = 0;
    const found = new Map<string, Authors>();
    for (const { id, by, minKey, maxKey } of ranges) {
      const count = changes?.count ?? 0;
      while (paths && at < count && paths.compare(at, minKey) < 0) at++;
      if (!paths || at >= count || paths.compare(at, maxKey) > 0) found.set(id, by);
    }
    return found;
  }

  /** Who wrote the entries of ranges. */
  async #authors(
    { repository, commit, parents, signal }: CommitWork,
    added: readonly RangeDescriptor[],
  ): Promise<ReadonlyMap<string, Authors>> {
    const { files } = this.#options;
    const found = new Map<string, Authors>();
    if (parents.every(({ ranges, changes }) => ranges.length === 0 && !changes)) {
      for (const { id } of added) found.set(id, { commit: commit.id });
      return found;
    }
    const walks = await openWalks(parents, commit, this.#sources(repository, signal));
    try {
      for (const { id, count } of added) {
        const paths = { texts: await files.texts(repository, rangeFile(id), 'path'), count };
        const writer = await attribute(commit.id, paths, walks, signal);
        const { single } = writer;
        found.set(id, single === undefined ? { file: await files.writeAttribution(repository, writer.encode()) } : { commit: single });
      }
    } finally {
      await closeWalks(walks);
    }
    return found;
  }

  #sources(repository: Repository, signal: AbortSignal | undefined): AttributionSources {
    const { engine, files } = this.#options;
    return { repository, files, committed: engine.tables, signal };
  }
}

interface CommitWork {
  readonly repository: Repository;
  readonly commit: Commit;
  /** In the order of the commit's parents. */
  readonly parents: readonly Snapshot[];
  /** Of the commit. */
  readonly ranges: readonly RangeDescriptor[];
  readonly signal: AbortSignal | undefined;
}

function openWalks(parents: readonly Snapshot[], { metarangeId }: Commit, sources: AttributionSources): Promise<ParentWalk[]> {
  return Promise.all(parents.map(parent => ParentWalk.open(parent, metarangeId, sources)));
}

async function closeWalks(walks: readonly ParentWalk[]): Promise<void> {
  await Promise.all(walks.map(walk => walk.close()));
}
