/** Runs imports: stores their status, walks the sources, writes the ranges, commits (engine rules, section 9.7). */

import { SrvError, absent, isSrvError, messageOf } from '@srv/kernel';
import { checkWritable, failureText, partitionOf, persistently, recordsBelow, xid } from '@srv/lib-records';
import { fitsStorePattern, knownRoots, listedBy, namespaceOf, storageRoot, storageRoots, storeOf, withSlash } from '@srv/lib-stores/block';
import { findCommit } from './find-commit.js';
import { decodeImport, encodeImport, isUnfinished } from './import-record.js';
import { destinationPrefix, importedChanges } from './walk.js';
import type { Commit, CommittedStore, Engine, Repository } from '@srv/engine/contract';
import type { KvStore, KvValue, Logger, NamespacePurge } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { ImportPath, ImportRequest, Imports } from '../contract.js';
import type { ImportOrder } from './import-order.js';
import type { ImportRecord } from './import-record.js';

interface ImportsOptions {
  readonly kv: KvStore;
  readonly block: BlockStore;
  readonly committed: CommittedStore;
  readonly engine: Engine;
  readonly log: Logger;
}

/** Milliseconds between signs of progress. */
const statusPeriod = 1000;
/** Milliseconds without a sign after which an import counts as dead: its server is gone. */
const expiry = 60_000;
/** How often servers resume an import: one that crashes servers must not do so for ever. */
const maxRestarts = 5;
/** Milliseconds after which an import is forgotten. */
const recordLife = 86_400_000;
const defaultMessage = 'Import objects';
/** Metadata of the repository with the time of its last import. Existing clients read it. */
const lastImportKey = '.lakefs.last.import.timestamp';

/** An import that this server works on. */
interface ImportRun {
  readonly repository: Repository;
  readonly id: string;
  /** With the date of the commit, once that is about to be made. */
  order: ImportOrder;
  readonly signal: AbortSignal;
  /** Found so far. */
  objects: number;
}

export class ImportService implements Imports {
  readonly #options: ImportsOptions;
  readonly #running = new Map<string, { readonly work: Promise<void>; readonly cancel: AbortController }>();
  /** Imports of other servers that may have to be taken over. */
  readonly #watched = new Set<NodeJS.Timeout>();
  readonly #stop = new AbortController();

  constructor(options: ImportsOptions) {
    this.#options = options;
  }

  async start(repositoryId: string, branchId: string, request: ImportRequest): Promise<string> {
    const { engine, block, kv } = this.#options;
    const repository = await engine.getRepository(repositoryId);
    const { info } = storeOf(block, namespaceOf(repository));
    if (!info.importSupported) throw new SrvError('forbidden', 'import is not supported for this storage');
    await engine.getBranch(repository, branchId);
    checkWritable(repository, request);
    for (const path of request.paths) this.#checkSource(repository, path);
    for await (const _ of engine.uncommittedRecords(repository, branchId))
      throw new SrvError('dirty_branch', 'uncommitted changes (dirty branch)', { details: { branch: branchId } });
    const order = { branch: branchId, request, run: xid() };
    const record: ImportRecord = { id: xid(), completed: false, updatedAt: new Date(), progress: 0, metarangeId: '', error: '', order };
    if (!(await kv.setIf(partitionOf(repository), recordKey(record.id), encodeImport(record), absent)))
      throw new SrvError('internal', `import id ${record.id} exists already`);
    this.#begin(repository, record.id, order);
    return record.id;
  }

  /** Resumes imports that earlier servers have not finished, once it is certain that no server works on them. */
  async resume(): Promise<void> {
    const { engine, log } = this.#options;
    for await (const repository of engine.repositories('')) {
      if (this.#stop.signal.aborted) return;
      if (repository.state !== 'active') continue;
      await this.#watch(repository).catch((error: unknown) =>
        log.warn({ repository: repository.id, error: messageOf(error) }, 'cannot look for unfinished imports of a repository'),
      );
    }
  }

  async #watch(repository: Repository): Promise<void> {
    const { kv, log } = this.#options;
    for await (const { record } of this.#records(repository)) {
      if (this.#stop.signal.aborted) return;
      if (!record.order || !isUnfinished(record) || this.#running.has(record.id)) continue;
      const timer = setTimeout(
        () => {
          this.#watched.delete(timer);
          this.#takeOver(repository, record.id).catch((error: unknown) =>
            log.warn({ import: record.id, error: messageOf(error) }, 'cannot resume an import'),
          );
        },
        kv.isShared ? Math.max(0, record.updatedAt.getTime() + expiry + 1 - Date.now()) : 0,
      );
      this.#watched.add(timer.unref());
    }
  }

  async status(repositoryId: string, id: string) {
    const repository = await this.#options.engine.getRepository(repositoryId);
    const { record } = await this.#read(repository, id);
    const { completed, updatedAt, progress, metarangeId, commit, error, order } = record;
    const isAbandoned = isUnfinished(record) && Date.now() - updatedAt.getTime() > expiry;
    if (isAbandoned && order) await this.#takeOver(repository, id);
    const dead = isAbandoned && !order;
    const problem = dead ? 'the server that ran the import is gone; start it again' : error;
    return {
      completed,
      updatedAt,
      ingestedObjects: progress,
      metarangeId: metarangeId || undefined,
      commit,
      error: problem ? `import error: ${problem}` : undefined,
    };
  }

  async cancel(repositoryId: string, branchId: string, id: string): Promise<void> {
    const repository = await this.#options.engine.getRepository(repositoryId);
    const done = await this.#update(repository, id, record => {
      // The caller may cancel imports of that branch.
      if (record.order && record.order.branch !== branchId) throw unknownImport(id);
      if (record.completed) throw new SrvError('conflict', `import ${id} is completed already`);
      return record.error ? record : { ...record, error: 'Canceled', updatedAt: new Date() };
    });
    if (!done) throw new SrvError('too_many_tries', `cancel import ${id}: too many tries; try again`);
    this.#running.get(id)?.cancel.abort();
  }

  /** @throws SrvError `conflict` that names an import whose objects lie there: only its commit will show that they are needed. */
  async refusePurge({ roots, since }: NamespacePurge): Promise<void> {
    const { engine, block } = this.#options;
    for await (const repository of engine.repositories('')) {
      if (repository.state !== 'active') continue;
      const store = storeOf(block, namespaceOf(repository));
      const touches = ({ path }: ImportPath): boolean => {
        const source = listedBy(store, path);
        return roots.some(root => source.startsWith(root) || root.startsWith(source));
      };
      for await (const { record } of this.#records(repository)) {
        const fail = (reason: string): never => {
          throw new SrvError('conflict', `import ${record.id} of repository ${repository.id} ${reason}`);
        };
        const path = isUnfinished(record) ? record.order?.request.paths.find(touches)?.path : undefined;
        if (path !== undefined) fail(`takes objects from ${path}; repeat when it has ended, or cancel it`);
        // What it imported from is no longer known, and its commit may not have been seen.
        if (record.completed && record.updatedAt >= since) fail('has ended only now; repeat the purge');
      }
    }
  }

  /** Forgets imports of a repository whose last sign of life is a day old. */
  async clean(repository: Repository): Promise<void> {
    for await (const { key, record } of this.#records(repository))
      if (Date.now() - record.updatedAt.getTime() > recordLife) await this.#options.kv.delete(partitionOf(repository), key);
  }

  /** Interrupts the imports of this server; the next server resumes them. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#forgetWatched();
    for (const { cancel } of this.#running.values()) cancel.abort();
    await Promise.all([...this.#running.values()].map(({ work }) => work));
  }

  #begin(repository: Repository, id: string, order: ImportOrder): void {
    const cancel = new AbortController();
    const work = this.#run(repository, id, order, cancel).finally(() => this.#running.delete(id));
    this.#running.set(id, { work, cancel });
  }

  /** Does nothing while another server shows signs of life, or is quicker. */
  async #takeOver(repository: Repository, id: string): Promise<void> {
    const { kv, log } = this.#options;
    const { record, stored } = await this.#read(repository, id);
    if (!record.order || !isUnfinished(record) || this.#running.has(id) || this.#stop.signal.aborted) return;
    if (kv.isShared && Date.now() - record.updatedAt.getTime() <= expiry) return;
    const restarts = (record.order.restarts ?? 0) + 1;
    const order = { ...record.order, run: xid(), restarts };
    const mine = encodeImport({ ...record, order, updatedAt: new Date() });
    if (!(await kv.setIf(partitionOf(repository), recordKey(id), mine, stored.predicate)) || this.#stop.signal.aborted) return;
    log.info({ import: id, repository: repository.id, branch: order.branch }, 'resuming interrupted import');
    this.#begin(repository, id, order);
  }

  #forgetWatched(): void {
    for (const timer of this.#watched) clearTimeout(timer);
    this.#watched.clear();
  }

  async #run(repository: Repository, id: string, order: ImportOrder, cancel: AbortController): Promise<void> {
    const { log } = this.#options;
    const run: ImportRun = { repository, id, order, signal: cancel.signal, objects: 0 };
    const status = setInterval(() => {
      this.#demandCurrent(repository)
        .then(() => this.#updateOwn(run, {}))
        .then(alive => {
          if (!alive) cancel.abort();
        })
        .catch((error: unknown) => {
          if (isForgotten(error)) cancel.abort();
          else log.warn({ import: id, error: messageOf(error) }, 'cannot store the progress of an import');
        });
    }, statusPeriod);
    try {
      const commit = await this.#committed(run);
      if (commit) await this.#complete(run, commit);
    } catch (error) {
      if (!isForgotten(error)) log.error({ import: id, error: messageOf(error) }, 'cannot store the end of an import');
    } finally {
      clearInterval(status);
    }
  }

  /** What was stored first wins: an error, an end, or a server that has taken over. The work then stops. */
  #updateOwn({ repository, id, order, objects }: ImportRun, change: Partial<ImportRecord>): Promise<boolean> {
    return this.#update(repository, id, record =>
      isUnfinished(record) && record.order?.run === order.run
        ? { ...record, progress: objects, updatedAt: new Date(), ...change }
        : undefined,
    );
  }

  /** The commit of an import, made now or earlier; `undefined`: it has failed, which is stored, or the next server resumes it. */
  async #committed(run: ImportRun): Promise<Commit | undefined> {
    const { id } = run;
    try {
      return (await this.#commitOf(run)) ?? (await this.#commit(run));
    } catch (error) {
      // The answer to the write of the commit may have been lost.
      const made = await this.#commitOf(run).catch((late: unknown) => {
        if (this.#stop.signal.aborted) throw late;
      });
      if (made) return made;
      // What a stop of the server breaks off is resumed.
      if (this.#stop.signal.aborted && isSrvError(error, 'cancelled', 'closed', 'unavailable')) return undefined;
      const failure = failureText(error, id, this.#options.log);
      await this.#persistently(id, () => this.#updateOwn(run, { error: failure }));
      return undefined;
    }
  }

  async #commit(run: ImportRun): Promise<Commit> {
    const { committed, engine, block } = this.#options;
    const { repository, id, order, signal } = run;
    const { branch, request, restarts = 0 } = order;
    if (restarts > maxRestarts) throw new SrvError('conflict', `it was interrupted ${restarts} times; start it again`);
    return this.#holdingSources(repository, request.paths, async () => {
      const changes = importedChanges({
        store: storeOf(block, namespaceOf(repository)),
        paths: request.paths,
        storage: storageRoot(block, namespaceOf(repository)),
        note: count => (run.objects = count),
        signal,
      });
      const { metarangeId } = await committed.apply({ namespace: namespaceOf(repository), base: '', changes, signal });
      const date = new Date();
      run.order = { ...order, commitDate: date };
      if (!(await this.#updateOwn(run, { order: run.order })))
        throw new SrvError('cancelled', `import ${id} was cancelled, or another server resumed it`);
      return engine.import(repository, branch, {
        date,
        metarangeId,
        prefixes: request.paths.filter(p => p.type === 'common_prefix').map(p => destinationPrefix(p.destination)),
        keys: request.paths.filter(p => p.type === 'object').map(p => p.destination),
        committer: request.committer,
        message: request.message || defaultMessage,
        metadata: request.metadata,
        force: request.force ? true : undefined,
        user: request.user,
        signal,
      });
    });
  }

  /** From here on it has succeeded. If that cannot be stored, it stays unfinished: who resumes it finds the commit. */
  async #complete({ repository, id, objects }: ImportRun, commit: Commit): Promise<void> {
    const { engine } = this.#options;
    const completed = { completed: true, metarangeId: commit.metarangeId, commit, error: '' };
    await this.#persistently(id, async () => {
      const isStored = await this.#update(repository, id, record => ({
        ...record,
        ...completed,
        progress: objects || record.progress,
        updatedAt: new Date(),
      }));
      if (!isStored) throw new SrvError('too_many_tries', `import ${id}: too many tries; others kept changing its record`);
    });
    const timestamp = String(Math.floor(commit.creationDate.getTime() / 1000));
    await this.#persistently(id, () =>
      engine.updateRepositoryMetadata(repository, metadata => ({ ...metadata, [lastImportKey]: timestamp })),
    );
  }

  #persistently<T>(id: string, attempt: () => Promise<T>): Promise<T> {
    return persistently(attempt, { signal: this.#stop.signal, log: this.#options.log, what: { import: id } });
  }

  /** @throws SrvError `not_found` or `gone` for a repository that was deleted. */
  async #demandCurrent({ id, instanceUid }: Repository): Promise<void> {
    const current = await this.#options.engine.getRepository(id);
    if (current.instanceUid !== instanceUid) throw new SrvError('gone', `repository ${id} was deleted, and created again`);
  }

  /** Pins other repositories whose objects are imported: until the commit is stored, nothing else shows that they are needed. */
  async #holdingSources<T>(repository: Repository, paths: readonly ImportPath[], work: () => Promise<T>): Promise<T> {
    const { engine, block } = this.#options;
    const store = storeOf(block, namespaceOf(repository));
    const sources = paths.map(({ path }) => listedBy(store, path));
    let held = work;
    for await (const owner of engine.repositories('')) {
      if (owner.instanceUid === repository.instanceUid || owner.state !== 'active') continue;
      const roots = knownRoots(block, namespaceOf(owner));
      if (!sources.some(source => roots.some(root => source.startsWith(root) || root.startsWith(source)))) continue;
      const inner = held;
      held = () => engine.withPins(owner, { everything: true }, inner);
    }
    return held();
  }

  /** The commit of an import whose server ended before it could say so, or whose answer was lost. */
  async #commitOf({ repository, id, order: { branch, request, commitDate } }: ImportRun): Promise<Commit | undefined> {
    if (!commitDate) return undefined;
    const message = request.message || defaultMessage;
    return this.#persistently(id, () =>
      findCommit(this.#options.engine, { repository, branch, committer: request.committer, message, date: commitDate }),
    );
  }

  /** Imports of the repository. */
  async *#records(repository: Repository): AsyncGenerator<{ readonly key: Buffer; readonly record: ImportRecord }> {
    for await (const { key, value } of recordsBelow(this.#options.kv, partitionOf(repository), recordKey('')))
      yield { key, record: decodeImport(value) };
  }

  #checkSource(repository: Repository, { type, path, destination }: ImportPath): void {
    const { block } = this.#options;
    const namespace = namespaceOf(repository);
    const store = storeOf(block, namespace);
    const fail = (reason: string): never => {
      throw new SrvError('invalid', `invalid import source ${JSON.stringify(path)}: ${reason}`);
    };
    if (!fitsStorePattern(store.info.importPattern, path)) fail(`it must match ${store.info.importPattern}`);
    const source = listedBy(store, path);
    for (const root of storageRoots(block, namespace)) {
      if (withSlash(source).startsWith(root)) fail('it lies inside the storage namespace of the repository');
      if (type === 'common_prefix' && root.startsWith(source))
        fail('it contains the storage namespace of the repository; to import only a folder, end it with a slash');
    }
    if (type === 'object' && destination === '') fail('an object needs a destination path');
  }

  async #read(repository: Repository, id: string): Promise<{ record: ImportRecord; stored: KvValue }> {
    const stored = await this.#options.kv.get(partitionOf(repository), recordKey(id));
    if (!stored) throw unknownImport(id);
    return { record: decodeImport(stored.value), stored };
  }

  /** Compare-and-set with a few tries; false when `change` returns nothing, or others keep winning. */
  async #update(repository: Repository, id: string, change: (record: ImportRecord) => ImportRecord | undefined): Promise<boolean> {
    for (let tries = 0; tries < updateTries; tries++) {
      const { record, stored } = await this.#read(repository, id);
      const next = change(record);
      if (next === undefined) return false;
      if (await this.#options.kv.setIf(partitionOf(repository), recordKey(id), encodeImport(next), stored.predicate)) return true;
    }
    return false;
  }
}

const updateTries = 10;

function unknownImport(id: string): SrvError {
  return new SrvError('not_found', `import ${JSON.stringify(id)}: not found`, { details: { import: id } });
}

/** Whether the record has gone, or its repository. */
function isForgotten(error: unknown): boolean {
  return isSrvError(error, 'not_found', 'gone');
}

function recordKey(id: string): Buffer {
  return Buffer.from(`imports/${id}`);
}
