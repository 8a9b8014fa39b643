/** Runs imports: stores their status, walks the sources, writes the ranges, commits (versioning rules, section 9.7). */
import { partitionOf, xid } from '@srv/lib-names';
import { SrvError, absent, messageOf } from '@srv/kernel';
import { identifierType } from '@srv/lib-block-store';
import { failureText } from '@srv/catalog/failure-text';
import type { KvStore, KvValue, Logger } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-block-store';
import type { CommittedStore } from '@srv/committed/contract';
import type { Repository, Versioning } from '@srv/versioning/contract';
import type { ImportPath, ImportRequest, Imports } from '../contract.js';
import { decodeImport, encodeImport } from './import-record.js';
import type { ImportRecord } from './import-record.js';
import { destinationPrefix, importedChanges } from './walk.js';

interface ImportsOptions {
  readonly kv: KvStore;
  readonly block: BlockStore;
  readonly committed: CommittedStore;
  readonly versioning: Versioning;
  readonly log: Logger;
}

/** Milliseconds between signs of progress. */
const statusPeriod = 1000;
/** Milliseconds without a sign after which an import counts as dead: its server is gone. */
const expiry = 60_000;
/** Milliseconds after which an import is forgotten. */
const recordLife = 86_400_000;
const defaultMessage = 'Import objects';
/** Metadata of the repository with the time of its last import. Existing clients read it. */
const lastImportKey = '.lakefs.last.import.timestamp';

export class ImportService implements Imports {
  readonly #options: ImportsOptions;
  readonly #running = new Map<string, { readonly work: Promise<void>; readonly cancel: AbortController }>();

  constructor(options: ImportsOptions) {
    this.#options = options;
  }

  async start(repositoryId: string, branchId: string, request: ImportRequest): Promise<string> {
    const { versioning, block, kv } = this.#options;
    if (!block.info.importSupported) throw new SrvError('forbidden', 'import is not supported for this storage');
    const repository = await versioning.getRepository(repositoryId);
    await versioning.getBranch(repository, branchId);
    if (repository.readOnly && !request.force)
      throw new SrvError('read_only', 'read-only repository', { details: { repository: repositoryId } });
    for (const path of request.paths) this.#checkSource(repository, path);
    for await (const _ of versioning.uncommitted(repository, branchId))
      throw new SrvError('dirty_branch', 'uncommitted changes (dirty branch)', { details: { branch: branchId } });
    const record: ImportRecord = { id: xid(), completed: false, updatedAt: new Date(), progress: 0, metarangeId: '', error: '' };
    if (!(await kv.setIf(partitionOf(repository), recordKey(record.id), encodeImport(record), absent)))
      throw new SrvError('internal', `import id ${record.id} exists already`);
    const cancel = new AbortController();
    const work = this.#run(repository, branchId, request, record, cancel).finally(() => this.#running.delete(record.id));
    this.#running.set(record.id, { work, cancel });
    return record.id;
  }

  async status(repositoryId: string, id: string) {
    const repository = await this.#options.versioning.getRepository(repositoryId);
    const { record } = await this.#read(repository, id);
    const { completed, updatedAt, progress, metarangeId, commit, error } = record;
    const dead = !completed && error === '' && Date.now() - updatedAt.getTime() > expiry;
    const problem = dead ? 'the server that ran the import is gone; start it again' : error;
    return {
      completed,
      updatedAt,
      ingestedObjects: progress,
      ...(metarangeId ? { metarangeId } : {}),
      ...(commit ? { commit } : {}),
      ...(problem ? { error: `import error: ${problem}` } : {}),
    };
  }

  async cancel(repositoryId: string, id: string): Promise<void> {
    const repository = await this.#options.versioning.getRepository(repositoryId);
    const done = await this.#update(repository, id, record => {
      if (record.completed) throw new SrvError('conflict', `import ${id} is completed already`);
      return record.error ? record : { ...record, error: 'Canceled', updatedAt: new Date() };
    });
    if (!done) throw new SrvError('too_many_tries', `cancel import ${id}: too many tries; try again`);
    this.#running.get(id)?.cancel.abort();
  }

  /** Forgets imports of a repository whose last sign of life is a day old. */
  async clean(repository: Repository): Promise<void> {
    const { kv } = this.#options;
    const [partition, start] = [partitionOf(repository), recordKey('')];
    for await (const page of kv.scan(partition, { start })) {
      for (const { key, value } of page) {
        if (!key.subarray(0, start.length).equals(start)) return;
        if (Date.now() - decodeImport(value).updatedAt.getTime() > recordLife) await kv.delete(partition, key);
      }
    }
  }

  /** Ends what runs here, as cancelled. */
  async stop(): Promise<void> {
    for (const { cancel } of this.#running.values()) cancel.abort();
    await Promise.all([...this.#running.values()].map(({ work }) => work));
  }

  async #run(
    repository: Repository,
    branchId: string,
    request: ImportRequest,
    { id }: ImportRecord,
    cancel: AbortController,
  ): Promise<void> {
    const { committed, versioning, block, log } = this.#options;
    let objects = 0;
    const status = setInterval(() => {
      // An error or an end that was stored first wins: the work stops.
      this.#update(repository, id, record =>
        record.completed || record.error ? undefined : { ...record, progress: objects, updatedAt: new Date() },
      )
        .then(alive => {
          if (!alive) cancel.abort();
        })
        .catch((error: unknown) => log.warn({ import: id, error: messageOf(error) }, 'cannot store the progress of an import'));
    }, statusPeriod);
    try {
      const commit = await this.#holdingSources(repository, request.paths, async () => {
        const changes = importedChanges({
          block,
          paths: request.paths,
          storage: ownStorage(block, repository.storageNamespace),
          note: count => (objects = count),
          signal: cancel.signal,
        });
        const { metarangeId } = await committed.apply({ namespace: repository.storageNamespace, base: '', changes, signal: cancel.signal });
        return versioning.import(repository, branchId, {
          metarangeId,
          prefixes: request.paths.filter(p => p.type === 'common_prefix').map(p => destinationPrefix(p.destination)),
          keys: request.paths.filter(p => p.type === 'object').map(p => p.destination),
          committer: request.committer,
          message: request.message || defaultMessage,
          ...(request.metadata ? { metadata: request.metadata } : {}),
          ...(request.force ? { force: true } : {}),
          ...(request.user === undefined ? {} : { user: request.user }),
          signal: cancel.signal,
        });
      });
      await this.#update(repository, id, record => ({
        ...record,
        completed: true,
        progress: objects,
        metarangeId: commit.metarangeId,
        commit,
        error: '',
        updatedAt: new Date(),
      }));
      const timestamp = String(Math.floor(commit.creationDate.getTime() / 1000));
      await versioning.updateRepositoryMetadata(repository, metadata => ({ ...metadata, [lastImportKey]: timestamp }));
    } catch (error) {
      const failure = failureText(error, id, log);
      await this.#update(repository, id, record =>
        record.completed || record.error ? undefined : { ...record, progress: objects, error: failure, updatedAt: new Date() },
      ).catch((late: unknown) => log.error({ import: id, error: messageOf(late) }, 'cannot store the end of an import'));
    } finally {
      clearInterval(status);
    }
  }

  /** Until the commit shows what is imported, nobody else sees that objects of another repository's namespace are needed. */
  async #holdingSources<T>(repository: Repository, paths: readonly ImportPath[], work: () => Promise<T>): Promise<T> {
    const { versioning, block } = this.#options;
    let held = work;
    for await (const owner of versioning.repositories('')) {
      if (owner.instanceUid === repository.instanceUid || owner.state !== 'active') continue;
      const storages = [withSlash(owner.storageNamespace), ownStorage(block, owner.storageNamespace)];
      if (!paths.some(({ path }) => storages.some(storage => path.startsWith(storage) || storage.startsWith(path)))) continue;
      const inner = held;
      held = () => versioning.holding(owner, { everything: true }, inner);
    }
    return held();
  }

  #checkSource({ storageNamespace }: Repository, { type, path, destination }: ImportPath): void {
    const { block } = this.#options;
    const fail = (reason: string): never => {
      throw new SrvError('invalid', `invalid import source ${JSON.stringify(path)}: ${reason}`);
    };
    if (!new RegExp(block.info.importPattern).test(path)) fail(`it must match ${block.info.importPattern}`);
    // As configured, and as the store addresses it: a local namespace is a folder somewhere.
    for (const storage of [withSlash(storageNamespace), ownStorage(block, storageNamespace)]) {
      if (withSlash(path).startsWith(storage)) fail('it lies inside the storage namespace of the repository');
      // Stores list every name that begins with the source, as plain text.
      if (type === 'common_prefix' && storage.startsWith(path))
        fail('it contains the storage namespace of the repository; to import only a folder, end it with a slash');
    }
    if (type === 'object' && destination === '') fail('an object needs a destination path');
  }

  async #read(repository: Repository, id: string): Promise<{ record: ImportRecord; stored: KvValue }> {
    const stored = await this.#options.kv.get(partitionOf(repository), recordKey(id));
    if (!stored) throw new SrvError('not_found', `import ${JSON.stringify(id)}: not found`, { details: { import: id } });
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

function withSlash(address: string): string {
  return address.endsWith('/') ? address : `${address}/`;
}

/** What addresses of the repository's own objects begin with, a slash last. */
function ownStorage(block: BlockStore, namespace: string): string {
  const name = 'x';
  return block.resolve({ namespace, identifier: name, identifierType: identifierType.relative }).slice(0, -name.length);
}

function recordKey(id: string): Buffer {
  return Buffer.from(`imports/${id}`);
}
