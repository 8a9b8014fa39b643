/** The catalog: objects by path over versioned records. */
import { createHash } from 'node:crypto';
import { type Readable, Transform } from 'node:stream';
import { SrvError, identifierType, isSrvError } from '@srv/kernel';
import type { BlockStore, Logger, ObjectPointer } from '@srv/kernel';
import type { CommittedStore } from '@srv/committed/contract';
import type { Forceable, KeyDifference, Page, Repository, StoredValue, ValueCondition, Versioning } from '@srv/versioning/contract';
import { decodeCommit, encodeCommit } from '@srv/versioning/messages';
import { checkPrefix, pathKey } from '@srv/versioning/names';
import { pageSize } from '@srv/versioning/paging';
import type { Catalog, DiffItem, Entry, ListItem, PutRequest, StageRequest, WriteCondition } from '../contract.js';
import { decodeMergeResult, decodeRefsDump, encodeMergeResult, encodeRefsDump } from '../messages/refs-dump.js';
import { AddressProvider } from './addresses.js';
import { DifferenceItems } from './differences.js';
import { decodeEntry, encodeEntry } from './entry-record.js';
import type { EntryRecord } from './entry-record.js';
import { pageOf } from './listing.js';
import type { PagedItem, PagedRequest } from './listing.js';
import { checkNamespaceForm, checkOverlap, claimNamespace } from './namespace-check.js';
import { copyPrefix } from './prefix-copy.js';
import { checkBare, dumpRefs, restoreRefs } from './refs-dump.js';
import { createSymlinks } from './symlinks.js';
import type { Tasks } from './tasks.js';

export interface CatalogOptions {
  readonly versioning: Versioning;
  readonly committed: CommittedStore;
  readonly block: BlockStore;
  readonly tasks: Tasks;
  readonly log: Logger;
  /** `graveler.ensure_readable_root_namespace` */
  readonly checkRootNamespace: boolean;
}

const defaultContentType = 'application/octet-stream';
const defaultBranch = 'main';
const maxDeletePaths = 1000;
const noProgress = (): Promise<void> => Promise.resolve();

export function createCatalog({ versioning, committed, block, tasks, log, checkRootNamespace }: CatalogOptions): Catalog {
  const stores = { versioning, committed, block };
  const addresses = new AddressProvider();

  const pointerOf = (
    { storageNamespace: namespace }: Repository,
    { address, addressType }: Pick<EntryRecord, 'address' | 'addressType'>,
  ): ObjectPointer => ({
    namespace,
    identifier: address,
    identifierType: addressType,
  });

  const entryOf = (repository: Repository, path: string, record: EntryRecord): Entry => ({
    ...record,
    path,
    contentType: record.contentType || defaultContentType,
    physicalAddress: block.resolve(pointerOf(repository, record)),
  });

  const decode = (repository: Repository, path: string, { data }: StoredValue): Entry => entryOf(repository, path, decodeEntry(data));

  /** Stages a record; what was stored for it is removed again when that fails. */
  async function stage(
    repository: Repository,
    branch: string,
    path: string,
    record: EntryRecord,
    { condition, force = false }: Pick<PutRequest, 'condition' | 'force'>,
  ): Promise<Entry> {
    await versioning.set(repository, branch, pathKey(path), encodeEntry(record), {
      force,
      ...(condition ? { condition: conditionOf(condition) } : {}),
    });
    return entryOf(repository, path, record);
  }

  async function stageNew(
    repository: Repository,
    branch: string,
    path: string,
    record: EntryRecord,
    request: Pick<PutRequest, 'condition' | 'force'>,
  ): Promise<Entry> {
    try {
      return await stage(repository, branch, path, record, request);
    } catch (error) {
      await block
        .remove(pointerOf(repository, record))
        .catch((late: unknown) => log.warn({ path, error: String(late) }, 'cannot remove an object that was not staged'));
      throw error;
    }
  }

  async function checkWrite(
    repository: Repository,
    branch: string,
    path: string,
    { force = false, condition }: Pick<PutRequest, 'force' | 'condition'>,
  ): Promise<void> {
    const key = pathKey(path);
    await versioning.checkWrite(repository, branch, { force });
    if (condition && !conditionOf(condition)(await versioning.get(repository, branch, key))) throw preconditionFailed(condition);
  }

  async function getEntry(repository: Repository, ref: string, path: string): Promise<Entry> {
    const value = await versioning.get(repository, ref, pathKey(path));
    if (!value)
      throw new SrvError('not_found', `object ${JSON.stringify(path)} at ref ${JSON.stringify(ref)}: not found`, {
        details: { path, ref },
      });
    return decode(repository, path, value);
  }

  const repositoryOf = (id: string): Promise<Repository> => versioning.getRepository(id);

  async function page<T>(items: Parameters<typeof pageOf<T>>[0], request: PagedRequest): Promise<Page<PagedItem<T>>> {
    checkPrefix(request.prefix ?? '', 'prefix');
    checkPrefix(request.delimiter ?? '', 'delimiter');
    return pageOf(items, request);
  }

  async function differencePage(repository: Repository, items: DifferenceItems, request: PagedRequest): Promise<Page<DiffItem>> {
    try {
      const { results, ...rest } = await page(items, request);
      return { ...rest, results: results.map(result => diffItem(repository, result)) };
    } finally {
      await items.close();
    }
  }

  function diffItem(repository: Repository, result: PagedItem<KeyDifference>): DiffItem {
    const { path } = result;
    if ('isPrefix' in result) return { type: 'prefix_changed', kind: 'common_prefix', path };
    const { type, left, right } = result.item;
    const value = right ?? left;
    return { type, kind: 'object', path, ...(value ? { entry: decode(repository, path, value) } : {}) };
  }

  const catalog: Catalog = {
    async createRepository({ id, storageNamespace, storageId = '', readOnly = false, bare = false, ...request }) {
      await refuseExisting(versioning, id);
      if (storageId !== '')
        throw new SrvError(
          'invalid',
          `storage id: invalid value: ${JSON.stringify(storageId)}; this server has one store, its id is empty`,
        );
      checkNamespaceForm(block, storageNamespace);
      if (!bare && !readOnly) {
        await checkOverlap(storageNamespace, versioning.repositories(''));
        await claimNamespace(storageNamespace, { block, log, prefix: committed.prefix, checkRoot: checkRootNamespace });
      }
      return versioning.createRepository({
        id,
        storageNamespace,
        storageId,
        readOnly,
        bare,
        defaultBranch: request.defaultBranch || defaultBranch,
      });
    },
    getRepository: repositoryOf,
    async listRepositories({ prefix = '', after = '', amount, search = '', visible = () => true } = {}) {
      const limit = pageSize(amount);
      const results: Repository[] = [];
      for await (const repository of versioning.repositories(after > prefix ? after : prefix)) {
        if (!repository.id.startsWith(prefix)) break;
        if (repository.id === after || !repository.id.includes(search) || !(await visible(repository))) continue;
        if (results.length === limit) return { results, hasMore: true, nextOffset: results[limit - 1].id };
        results.push(repository);
      }
      return { results, hasMore: false, nextOffset: '' };
    },
    deleteRepository: (id, options = {}) => versioning.deleteRepository(id, options),
    getRepositoryMetadata: async id => versioning.getRepositoryMetadata(await repositoryOf(id)),
    async setRepositoryMetadata(id, metadata) {
      const repository = await writable(id);
      if (Object.keys(metadata).length > 0) await versioning.updateRepositoryMetadata(repository, old => ({ ...old, ...metadata }));
    },
    async deleteRepositoryMetadata(id, keys) {
      const repository = await writable(id);
      if (keys.length > 0)
        await versioning.updateRepositoryMetadata(repository, old =>
          Object.fromEntries(Object.entries(old).filter(([key]) => !keys.includes(key))),
        );
    },

    createBranch: async (id, branch, source, options) => versioning.createBranch(await repositoryOf(id), branch, source, options),
    getBranch: async (id, branch) => versioning.getBranch(await repositoryOf(id), branch),
    listBranches: async (id, request) => versioning.listBranches(await repositoryOf(id), request),
    deleteBranch: async (id, branch, options) => versioning.deleteBranch(await repositoryOf(id), branch, options),
    async resetBranch(id, branch, scope, options) {
      const target =
        scope.type === 'all'
          ? 'all'
          : scope.type === 'object'
            ? { key: pathKey(scope.path) }
            : { prefix: Buffer.from(scope.prefix, 'utf8') };
      await versioning.reset(await repositoryOf(id), branch, target, options);
    },
    hardResetBranch: async (id, branch, ref, options) => versioning.hardReset(await repositoryOf(id), branch, ref, options),

    createTag: async (id, tag, ref, options) => versioning.createTag(await repositoryOf(id), tag, ref, options),
    getTag: async (id, tag) => versioning.getTag(await repositoryOf(id), tag),
    listTags: async (id, request) => versioning.listTags(await repositoryOf(id), request),
    deleteTag: async (id, tag, options) => versioning.deleteTag(await repositoryOf(id), tag, options),

    commit: async (id, branch, request) => versioning.commit(await repositoryOf(id), branch, request),
    getCommit: async (id, ref) => versioning.resolveCommit(await repositoryOf(id), ref),
    log: async (id, ref, request) => versioning.log(await repositoryOf(id), ref, request),
    merge: async (id, source, destination, request) => (await versioning.merge(await repositoryOf(id), source, destination, request)).id,
    findMergeBase: async (id, source, destination) => versioning.mergeBase(await repositoryOf(id), source, destination),
    revert: async (id, branch, request) => versioning.revert(await repositoryOf(id), branch, request),
    cherryPick: async (id, branch, request) => versioning.cherryPick(await repositoryOf(id), branch, request),

    async diffUncommitted(id, branch, request = {}) {
      const repository = await repositoryOf(id);
      await versioning.getBranch(repository, branch);
      return differencePage(
        repository,
        new DifferenceItems(r => versioning.uncommitted(repository, branch, r), request.prefix ?? ''),
        request,
      );
    },
    async diff(id, left, right, { type = 'three_dot', ...request } = {}) {
      const repository = await repositoryOf(id);
      const open = type === 'two_dot' ? versioning.diff : versioning.compare;
      return differencePage(repository, new DifferenceItems(r => open(repository, left, right, r), request.prefix ?? ''), request);
    },

    getEntry: async (id, ref, path) => getEntry(await repositoryOf(id), ref, path),
    async list(id, ref, request = {}) {
      const repository = await repositoryOf(id);
      const view = await versioning.view(repository, ref);
      const items = {
        get current() {
          return view.current && { key: view.current.key, item: view.current.value };
        },
        seek: (key: Buffer) => view.seek(key),
        next: () => view.next(),
      };
      try {
        const { results, ...rest } = await page(items, request);
        return {
          ...rest,
          results: results.map(
            (result): ListItem =>
              'isPrefix' in result
                ? { kind: 'common_prefix', path: result.path }
                : { kind: 'object', path: result.path, entry: decode(repository, result.path, result.item) },
          ),
        };
      } finally {
        view.close();
      }
    },
    async open(id, entry, { range, signal } = {}) {
      const repository = await repositoryOf(id);
      return block.get(pointerOf(repository, entry), { ...(range ? { range } : {}), ...(signal ? { signal } : {}) });
    },

    async putObject(id, branch, path, body, request = {}) {
      const repository = await repositoryOf(id);
      await checkWrite(repository, branch, path, request);
      const record = { address: addresses.next(), addressType: identifierType.relative };
      const { size, storageClass, signal, contentType = '', metadata = {} } = request;
      const meter = new ContentMeter(body);
      const stored = await block.put(pointerOf(repository, record), meter.body, {
        ...(size === undefined ? {} : { size }),
        ...(storageClass === undefined ? {} : { storageClass }),
        ...(signal ? { signal } : {}),
      });
      const { size: written, md5 } = meter.result();
      const entry = {
        ...record,
        lastModified: stored.lastModified,
        size: written,
        etag: md5,
        metadata,
        contentType: contentType || defaultContentType,
      };
      return stageNew(repository, branch, path, entry, request);
    },
    checkWrite: async (id, branch, path, request = {}) => checkWrite(await repositoryOf(id), branch, path, request),
    async stageEntry(id, branch, path, request: StageRequest) {
      const repository = await repositoryOf(id);
      const { address, addressType, size, etag, contentType = defaultContentType, metadata = {}, lastModified = new Date() } = request;
      if (etag === '') throw new SrvError('invalid', 'checksum is required');
      return stage(repository, branch, path, { address, addressType, size, etag, contentType, metadata, lastModified }, request);
    },
    async copyObject(id, source, destination, options = {}) {
      const repository = await repositoryOf(id);
      await checkWrite(repository, destination.branch, destination.path, options);
      const { path: _, physicalAddress: __, ...from } = await getEntry(repository, source.ref, source.path);
      const record = { ...from, address: addresses.next(), addressType: identifierType.relative };
      await block.copy(pointerOf(repository, from), pointerOf(repository, record));
      return stageNew(repository, destination.branch, destination.path, { ...record, lastModified: new Date() }, options);
    },
    deleteObject: async (id, branch, path, options) => versioning.delete(await repositoryOf(id), branch, [pathKey(path)], options),
    async deleteObjects(id, branch, paths, options) {
      if (paths.length > maxDeletePaths) throw new SrvError('invalid', `request size exceeded, max paths is set to ${maxDeletePaths}`);
      const repository = await repositoryOf(id);
      await versioning.getBranch(repository, branch);
      const keys = new Map<string, Buffer>();
      const failures: { path: string; error: unknown }[] = [];
      for (const path of paths.filter(p => p !== '')) {
        try {
          keys.set(path, pathKey(path));
        } catch (error) {
          failures.push({ path, error });
        }
      }
      try {
        await versioning.delete(repository, branch, [...keys.values()], options);
      } catch (error) {
        failures.push(...[...keys.keys()].map(path => ({ path, error })));
      }
      return failures;
    },
    async setObjectMetadata(id, branch, path, metadata, options) {
      const change = ({ data }: StoredValue): StoredValue => encodeEntry({ ...decodeEntry(data), metadata });
      await versioning.update(await repositoryOf(id), branch, pathKey(path), change, options);
    },

    async copyPrefix(id, branch, request) {
      return copyPrefix(await repositoryOf(id), branch, request, versioning);
    },

    async submitCommit(id, branch, request) {
      const repository = await repositoryOf(id);
      await versioning.getBranch(repository, branch);
      return tasks.submit(repository, 'commit_async', async (_, signal) =>
        encodeCommit(await versioning.commit(repository, branch, { ...request, signal })),
      );
    },
    async commitStatus(id, taskId) {
      const { info, ...task } = await tasks.get(await repositoryOf(id), 'commit_async', taskId);
      return info.length > 0 ? { ...task, commit: decodeCommit(info) } : task;
    },
    async submitMerge(id, source, destination, request) {
      const repository = await repositoryOf(id);
      await Promise.all([versioning.resolveCommit(repository, source), versioning.getBranch(repository, destination)]);
      return tasks.submit(repository, 'merge_async', async (_, signal) =>
        encodeMergeResult((await versioning.merge(repository, source, destination, { ...request, signal })).id),
      );
    },
    async mergeStatus(id, taskId) {
      const { info, ...task } = await tasks.get(await repositoryOf(id), 'merge_async', taskId);
      return info.length > 0 ? { ...task, reference: decodeMergeResult(info) } : task;
    },

    dumpRefs: async id => dumpRefs(await repositoryOf(id), stores, noProgress),
    async submitDump(id) {
      const repository = await repositoryOf(id);
      return tasks.submit(repository, 'dump_refs', async (progress, signal) =>
        encodeRefsDump(await dumpRefs(repository, stores, progress, signal)),
      );
    },
    async dumpStatus(id, taskId) {
      const { info, ...task } = await tasks.get(await repositoryOf(id), 'dump_refs', taskId);
      return info.length > 0 ? { ...task, refs: decodeRefsDump(info) } : task;
    },
    async restoreRefs(id, dump, options) {
      const repository = await restorable(id, options);
      await restoreRefs(repository, dump, stores, noProgress);
    },
    async submitRestore(id, dump, options) {
      const repository = await restorable(id, options);
      return tasks.submit(repository, 'restore_refs', async progress => {
        await restoreRefs(repository, dump, stores, progress);
        return Buffer.alloc(0);
      });
    },
    async restoreStatus(id, taskId) {
      const { info: _, ...task } = await tasks.get(await repositoryOf(id), 'restore_refs', taskId);
      return task;
    },

    createCommitRecord: async (id, commit, options) => versioning.createCommitRecord(await repositoryOf(id), commit, options),
    async createSymlinks(id, branch, location) {
      const repository = await repositoryOf(id);
      await versioning.getBranch(repository, branch);
      return createSymlinks(repository, branch, location, { block, list: catalog.list });
    },

    getBranchProtection: async id => versioning.getProtection(await repositoryOf(id)),
    setBranchProtection: async (id, rules, ifMatch) => versioning.setProtection(await repositoryOf(id), rules, ifMatch),

    createPullRequest: async (id, { description = '', ...request }) =>
      versioning.createPull(await repositoryOf(id), { ...request, description }),
    getPullRequest: async (id, pull) => versioning.getPull(await repositoryOf(id), pull),
    listPullRequests: async (id, request) => versioning.listPulls(await repositoryOf(id), request),
    async updatePullRequest(id, pull, change) {
      await versioning.updatePull(await repositoryOf(id), pull, ({ closedAt: _, ...old }) => {
        const next = { ...old, ...change };
        return next.status === 'open' ? next : { ...next, closedAt: new Date() };
      });
    },
    async mergePullRequest(id, pullId, request) {
      const repository = await repositoryOf(id);
      const pull = await versioning.getPull(repository, pullId);
      if (pull.status !== 'open') throw new SrvError('invalid', `pull request ${pullId} is ${pull.status}: bad pull request status`);
      const { id: commitId } = await versioning.merge(repository, pull.source, pull.destination, request);
      await versioning.updatePull(repository, pullId, old => ({ ...old, status: 'merged', commitId, closedAt: new Date() }));
      return commitId;
    },

    allocateAddress: () => addresses.next(),
    async metadataLocation(id, tableId) {
      await repositoryOf(id);
      return committed.location(tableId);
    },
    openMetadata: async (id, kind, tableId) => committed.open((await repositoryOf(id)).storageNamespace, kind, tableId),
  };

  async function restorable(id: string, { force = false }: Forceable = {}): Promise<Repository> {
    const repository = await repositoryOf(id);
    if (repository.readOnly && !force) throw new SrvError('read_only', 'read-only repository', { details: { repository: id } });
    await checkBare(repository, versioning);
    return repository;
  }

  async function writable(id: string): Promise<Repository> {
    const repository = await repositoryOf(id);
    if (repository.readOnly) throw new SrvError('read_only', 'read-only repository', { details: { repository: id } });
    return repository;
  }

  return catalog;
}

async function refuseExisting(versioning: Versioning, id: string): Promise<void> {
  try {
    await versioning.getRepository(id);
  } catch (error) {
    if (isSrvError(error, 'not_found')) return;
    if (!isSrvError(error, 'gone')) throw error;
  }
  throw new SrvError('not_unique', 'error creating repository: not unique', { details: { repository: id } });
}

function conditionOf(condition: WriteCondition): ValueCondition {
  if ('ifAbsent' in condition) return current => current === undefined;
  const wanted = condition.ifMatch.replaceAll('"', '');
  return current => current !== undefined && (wanted === '*' || decodeEntry(current.data).etag === wanted);
}

function preconditionFailed(condition: WriteCondition): SrvError {
  return new SrvError(
    'precondition_failed',
    'ifAbsent' in condition ? 'path already exists' : `Precondition failed: the object's ETag is not ${condition.ifMatch}`,
  );
}

/** Counts and hashes a body on its way. */
class ContentMeter {
  readonly body: Readable | Buffer;
  readonly #hash = createHash('md5');
  #size = 0;

  constructor(body: Readable | Buffer) {
    const note = (chunk: Buffer): void => {
      this.#hash.update(chunk);
      this.#size += chunk.length;
    };
    if (Buffer.isBuffer(body)) {
      note(body);
      this.body = body;
      return;
    }
    const meter = new Transform({
      transform(chunk: Buffer, _, done) {
        note(chunk);
        done(null, chunk);
      },
    });
    body.once('error', error => meter.destroy(error));
    body.once('close', () => {
      if (!body.readableEnded) meter.destroy(new SrvError('cancelled', 'the upload ended before its body was complete'));
    });
    this.body = body.pipe(meter);
  }

  result(): { size: number; md5: string } {
    return { size: this.#size, md5: this.#hash.digest('hex') };
  }
}
