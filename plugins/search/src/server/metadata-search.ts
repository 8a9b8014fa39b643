/** The service: finds the index of what is asked for, makes it if it does not exist, and reads it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SrvError } from '@srv/kernel';
import { pageSize } from '@srv/lib-records';
import { orAborted } from '@srv/lib-stores/block';
import { MissingIndexFile } from '../index/index-files.js';
import { journalPage } from '../query/journal.js';
import { overlay } from '../query/overlay.js';
import { scan } from '../query/scan.js';
import { uncommittedChanges } from '../query/uncommitted.js';
import { usagePage } from '../query/usage.js';
import { compileWhere, noFilter } from '../where/filter.js';
import { selectedBranches } from './background.js';
import { findBranch } from './find-branch.js';
import type { Engine, Repository } from '@srv/engine/contract';
import type { FoundObject, MetadataSearch, SearchRequest } from '../contract.js';
import type { Snapshot } from '../format/snapshot.js';
import type { IndexFiles } from '../index/index-files.js';
import type { Indexer } from '../index/indexer.js';
import type { Filter } from '../where/filter.js';
import type { BackgroundIndexing } from './background.js';
import type { Selection } from './selection.js';

interface MetadataSearchParts {
  readonly engine: Engine;
  readonly files: IndexFiles;
  readonly indexer: Indexer;
  readonly selection: Selection;
  readonly background: Pick<BackgroundIndexing, 'changed'>;
  /** Milliseconds that a request waits for an index that is being made. */
  readonly patience: number;
}

export function createMetadataSearch(parts: MetadataSearchParts): MetadataSearch {
  const { engine, indexer, selection, background } = parts;

  async function* rows(name: string, ref: string, request: SearchRequest = {}): AsyncGenerator<FoundObject> {
    const repository = await indexedRepository(name, parts);
    const filter = request.where ? compileWhere(request.where) : noFilter;
    let after = request.after;
    for (let attempt = 1; ; attempt++)
      try {
        for await (const object of await found({ repository, ref, filter, request: { ...request, after } }, parts)) {
          yield object;
          after = object.path;
        }
        return;
      } catch (error) {
        // Another server has begun to rebuild the index.
        if (attempt > 1 || !(error instanceof MissingIndexFile)) throw error;
        await patiently(indexer.repair(repository, (await engine.getCommit(repository, ref)).id), repository, request.signal, parts);
      }
  }

  return {
    rows,
    async search(name, ref, { amount, ...request } = {}) {
      const limit = pageSize(amount);
      const results: FoundObject[] = [];
      for await (const object of rows(name, ref, request)) {
        if (results.length === limit) return { results, hasMore: true, nextOffset: results.at(-1)?.path ?? '' };
        results.push(object);
      }
      return { results, hasMore: false, nextOffset: '' };
    },
    async journal(name, ref, request = {}) {
      const repository = await engine.getRepository(name);
      return journalPage(repository, (await engine.getCommit(repository, ref)).id, request, engine);
    },
    async usage(name, ref, request = {}) {
      const repository = await indexedRepository(name, parts);
      const { metarangeId: metarange } = await engine.getCommit(repository, ref);
      const ensureRange = (of: Repository, range: { readonly id: string; readonly count: number }) => indexer.ensureRange(of, range);
      const branch = await findBranch(repository, ref, engine);
      return usagePage(repository, { branch: branch?.id, metarange, request }, { ...parts, ensureRange });
    },
    isIndexed: async name => (await selection.patterns(await engine.getRepository(name))).length > 0,
    settings: async name => selection.settings(await engine.getRepository(name)),
    async setSettings(name, settings, ifMatch) {
      const repository = await engine.getRepository(name);
      await selection.set(repository, settings, ifMatch);
      // Without patterns nothing reads the index.
      if ((await selection.patterns(repository)).length === 0) await indexer.clear(repository);
      else background.changed(repository.id);
    },
    async status(name) {
      const repository = await engine.getRepository(name);
      const patterns = await selection.patterns(repository);
      const branches = [];
      for await (const { id, commitId } of selectedBranches(repository, patterns, engine))
        branches.push({ branch: id, commitId, isIndexed: (await parts.files.findSnapshot(repository, commitId)) !== undefined });
      return { patterns, branches, waiting: indexer.progress(repository)?.waiting ?? 0 };
    },
    async rebuild(name) {
      const repository = await indexedRepository(name, parts);
      await indexer.clear(repository);
      background.changed(repository.id);
    },
  };
}

/** @throws SrvError `invalid` where no pattern selects a branch. */
async function indexedRepository(name: string, { engine, selection }: MetadataSearchParts): Promise<Repository> {
  const repository = await engine.getRepository(name);
  if ((await selection.patterns(repository)).length === 0)
    throw new SrvError(
      'invalid',
      `repository ${name} is not indexed; \`cli search enable srv://${name} main\` switches the index of a branch on`,
    );
  return repository;
}

interface Search {
  readonly repository: Repository;
  readonly ref: string;
  readonly filter: Filter;
  readonly request: SearchRequest;
}

async function found({ repository, ref, filter, request }: Search, parts: MetadataSearchParts): Promise<AsyncIterable<FoundObject>> {
  const { engine, files } = parts;
  const { signal } = request;
  const [wanted, after] = [request.prefix ?? '', request.after ? Buffer.from(request.after) : undefined];
  const prefix = narrower(wanted, filter.prefix);
  if (prefix === undefined) return nothing();
  const place = { repository, filter, prefix: Buffer.from(prefix), after, signal };
  const snapshot = await snapshotOf(repository, ref, signal, parts);
  const committed = scan({ ...place, snapshot }, { engine, files });
  if (!request.uncommitted) return committed;
  return overlay(committed, uncommittedChanges({ ...place, branch: (await engine.getBranch(repository, ref)).id }, engine));
}

async function* nothing(): AsyncGenerator<FoundObject> {}

/** The longer of two prefixes that both have to match; `undefined` when they exclude each other. */
function narrower(a: string, b: string): string | undefined {
  if (a.startsWith(b)) return a;
  return b.startsWith(a) ? b : undefined;
}

async function snapshotOf(
  repository: Repository,
  ref: string,
  signal: AbortSignal | undefined,
  parts: MetadataSearchParts,
): Promise<Snapshot> {
  const { id } = await parts.engine.getCommit(repository, ref);
  return patiently(parts.indexer.ensure(repository, id), repository, signal, parts);
}

/** Waits for an index; the work on it continues when the caller goes. @throws SrvError `unavailable` when it takes long. */
async function patiently(
  work: Promise<Snapshot>,
  repository: Repository,
  signal: AbortSignal | undefined,
  { indexer, patience }: MetadataSearchParts,
): Promise<Snapshot> {
  const ended = new AbortController();
  const late = sleep(patience, undefined, { signal: ended.signal, ref: false }).then(() => {
    const waiting = indexer.progress(repository)?.waiting ?? 0;
    throw new SrvError(
      'unavailable',
      `the index of repository ${repository.id} is being made, ${waiting} commits are left; try again later`,
    );
  });
  late.catch(() => undefined);
  try {
    return await orAborted(Promise.race([work, late]), signal);
  } finally {
    ended.abort();
  }
}
