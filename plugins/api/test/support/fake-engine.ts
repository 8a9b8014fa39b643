/** Enough of an engine to exercise the API: snapshots in memory, one commit after another. */

import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { isMet, preconditionFailed } from '@srv/engine/objects/write-condition';
import { SrvError } from '@srv/kernel';
import { xid } from '@srv/lib-records';
import type {
  Branch,
  Commit,
  DiffItem,
  Engine,
  Entry,
  ListItem,
  Page,
  PutRequest,
  Repository,
  RepositoryName,
  Tag,
} from '@srv/engine/contract';

type Snapshot = ReadonlyMap<string, Entry>;

interface FakeBranch {
  commitId: string;
  hidden: boolean;
  readonly staged: Map<string, Entry | undefined>;
}

interface FakeRepository {
  readonly record: Repository;
  readonly branches: Map<string, FakeBranch>;
  readonly tags: Map<string, string>;
  readonly commits: Map<string, { readonly commit: Commit; readonly snapshot: Snapshot }>;
  metadata: Record<string, string>;
}

const hex = (): string => randomBytes(32).toString('hex');
const unsupported = (): never => {
  throw new SrvError('unsupported', 'not part of this engine');
};
const idOf = (name: RepositoryName): string => (typeof name === 'string' ? name : name.id);
const missing = (): Promise<never> => Promise.reject(new SrvError('unsupported', 'not part of this engine'));
const notFound = (what: string): SrvError => new SrvError('not_found', `${what} not found`);

function pageOf<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
  { prefix = '', after = '', amount = 100 }: { prefix?: string | undefined; after?: string | undefined; amount?: number | undefined } = {},
): Page<T> {
  const found = items
    .filter(item => nameOf(item).startsWith(prefix) && nameOf(item) > after)
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const results = found.slice(0, amount);
  const last = results.at(-1);
  const hasMore = found.length > amount;
  return { results, hasMore, nextOffset: hasMore && last !== undefined ? nameOf(last) : '' };
}

export function fakeEngine(): Engine {
  const repositories = new Map<string, FakeRepository>();
  const contents = new Map<string, Buffer>();

  const repo = (id: RepositoryName): FakeRepository => {
    const found = repositories.get(idOf(id));
    if (!found) throw notFound('repository');
    return found;
  };
  const branchOf = (id: RepositoryName, name: string): FakeBranch => {
    const found = repo(id).branches.get(name);
    if (!found) throw new SrvError('not_found', `branch '${name}' not found: branch not found`);
    return found;
  };
  const resolve = (id: RepositoryName, ref: string): string => {
    const found = repo(id).branches.get(ref)?.commitId ?? repo(id).tags.get(ref) ?? (repo(id).commits.has(ref) ? ref : undefined);
    if (found === undefined) throw new SrvError('not_found', `${ref}: ref not found: commit not found`);
    return found;
  };
  const snapshotOf = (id: RepositoryName, ref: string): Map<string, Entry> => {
    const snapshot = new Map(repo(id).commits.get(resolve(id, ref))?.snapshot ?? []);
    for (const [path, entry] of repo(id).branches.get(ref)?.staged ?? []) {
      if (entry) snapshot.set(path, entry);
      else snapshot.delete(path);
    }
    return snapshot;
  };
  const addCommit = (
    id: RepositoryName,
    parents: string[],
    committer: string,
    message: string,
    snapshot: Snapshot,
    metadata = {},
  ): Commit => {
    const commit: Commit = {
      id: hex(),
      committer,
      message,
      creationDate: new Date(),
      metarangeId: hex(),
      metadata,
      parents,
      version: 1,
      generation: parents.length + 1,
    };
    repo(id).commits.set(commit.id, { commit, snapshot });
    return commit;
  };
  const commitOf = (id: RepositoryName, ref: string): Commit => {
    const found = repo(id).commits.get(resolve(id, ref));
    if (!found) throw notFound('commit');
    return found.commit;
  };
  const toBranch = (id: string, { commitId, hidden }: FakeBranch): Branch => ({ id, commitId, hidden, stagingToken: '', sealedTokens: [] });
  const guard = (id: RepositoryName, branch: string, path: string, { condition }: Pick<PutRequest, 'condition'> = {}): void => {
    branchOf(id, branch);
    const current = snapshotOf(id, branch).get(path);
    if (condition && !isMet(condition, current)) throw preconditionFailed(condition);
  };
  const stage = (id: RepositoryName, branch: string, entry: Entry): Entry => {
    branchOf(id, branch).staged.set(entry.path, entry);
    return entry;
  };
  const diffOf = (left: Snapshot, right: Snapshot): DiffItem[] =>
    [...new Set([...left.keys(), ...right.keys()])].sort().flatMap((path): DiffItem[] => {
      const [a, b] = [left.get(path), right.get(path)];
      if (a?.etag === b?.etag) return [];
      const entry = b ?? a;
      return [{ type: a && b ? 'changed' : b ? 'added' : 'removed', kind: 'object', path, ...(entry ? { entry } : {}) }];
    });

  const engine: Engine = {
    async createRepository({ id, storageNamespace, defaultBranch = 'main', readOnly = false, bare = false }) {
      if (repositories.has(id)) throw new SrvError('not_unique', 'error creating repository: not unique');
      const record: Repository = {
        id,
        storageNamespace,
        defaultBranch,
        creationDate: new Date(),
        state: 'active',
        instanceUid: hex(),
        readOnly,
        storageId: '',
      };
      const branches = new Map<string, FakeBranch>();
      repositories.set(id, {
        record,
        branches,
        tags: new Map(),
        commits: new Map(),
        metadata: {},
      });
      if (!bare)
        branches.set(defaultBranch, {
          commitId: addCommit(id, [], 'srv', 'Repository created', new Map()).id,
          hidden: false,
          staged: new Map(),
        });
      return record;
    },
    allocateAddress: () => `data/ggq2f8tpocvs73ftd1qg/${xid()}`,
    getRepository: async id => repo(id).record,
    repositoriesAt: async address =>
      [...repositories.values()]
        .map(({ record }) => record)
        .filter(record => address.startsWith(`${record.storageNamespace}/`))
        .map(({ id }) => id),
    repositoriesTouching: async () => new Map(),
    async listRepositories({ search = '', visible = () => true, ...page } = {}) {
      const all = [...repositories.values()].map(r => r.record).filter(r => r.id.includes(search));
      const shown = await Promise.all(all.map(async record => visible(record)));
      return pageOf(
        all.filter((_, i) => shown[i]),
        r => r.id,
        page,
      );
    },
    countRepositories: async ({ search = '' } = {}) => [...repositories.keys()].filter(id => id.includes(search)).length,
    async deleteRepository(id) {
      repo(id);
      repositories.delete(idOf(id));
    },
    getRepositoryMetadata: async id => repo(id).metadata,
    async setRepositoryMetadata(id, metadata) {
      repo(id).metadata = { ...repo(id).metadata, ...metadata };
    },
    async deleteRepositoryMetadata(id, keys) {
      repo(id).metadata = Object.fromEntries(Object.entries(repo(id).metadata).filter(([key]) => !keys.includes(key)));
    },

    async createBranch(id, name, source, { hidden = false } = {}) {
      if (repo(id).branches.has(name)) throw new SrvError('not_unique', 'branch already exists: not unique');
      const branch = { commitId: resolve(id, source), hidden, staged: new Map() };
      repo(id).branches.set(name, branch);
      return toBranch(name, branch);
    },
    getBranch: async (id, name) => toBranch(name, branchOf(id, name)),
    listBranches: async (id, { showHidden = false, ...page } = {}) =>
      pageOf(
        [...repo(id).branches].filter(([, b]) => showHidden || !b.hidden).map(([name, b]) => toBranch(name, b)),
        b => b.id,
        page,
      ),
    async deleteBranch(id, name) {
      branchOf(id, name);
      if (repo(id).record.defaultBranch === name) throw new SrvError('forbidden', 'cannot delete repository default branch');
      repo(id).branches.delete(name);
    },
    async resetBranch(id, name, scope) {
      const { staged } = branchOf(id, name);
      for (const path of Array.from(staged.keys())) {
        if (scope.type === 'all' || (scope.type === 'object' ? path === scope.path : path.startsWith(scope.prefix))) staged.delete(path);
      }
    },
    async hardResetBranch(id, name, ref) {
      const branch = branchOf(id, name);
      if (branch.staged.size > 0) throw new SrvError('dirty_branch', `${name}: uncommitted changes (dirty branch)`);
      branch.commitId = resolve(id, ref);
    },

    async createTag(id, name, ref) {
      if (repo(id).tags.has(name)) throw new SrvError('not_unique', 'tag already exists: not unique');
      repo(id).tags.set(name, resolve(id, ref));
      return { id: name, commitId: resolve(id, ref) };
    },
    async getTag(id, name) {
      const commitId = repo(id).tags.get(name);
      if (commitId === undefined) throw notFound('tag');
      return { id: name, commitId };
    },
    listTags: async (id, page) =>
      pageOf(
        [...repo(id).tags].map(([name, commitId]): Tag => ({ id: name, commitId })),
        t => t.id,
        page,
      ),
    async deleteTag(id, name) {
      if (!repo(id).tags.delete(name)) throw notFound('tag');
    },

    async commit(id, name, { committer, message, metadata = {}, allowEmpty = false }) {
      const branch = branchOf(id, name);
      if (branch.staged.size === 0 && !allowEmpty) throw new SrvError('no_changes', 'commit: no changes');
      const commit = addCommit(id, [branch.commitId], committer, message, snapshotOf(id, name), metadata);
      branch.commitId = commit.id;
      branch.staged.clear();
      return commit;
    },
    getCommit: async (id, ref) => commitOf(id, ref),
    async log(id, ref, { amount = 100 } = {}) {
      const results: Commit[] = [];
      for (let at: string | undefined = resolve(id, ref); at !== undefined && results.length < amount; at = results.at(-1)?.parents[0])
        results.push(commitOf(id, at));
      return { results, hasMore: false, nextOffset: '' };
    },
    async merge(id, source, destination, { committer, message = `Merge '${source}' into '${destination}'`, strategy = 'none' }) {
      const branch = branchOf(id, destination);
      const [ours, theirs] = [snapshotOf(id, destination), snapshotOf(id, source)];
      const changes = diffOf(ours, theirs);
      if (changes.length === 0) throw new SrvError('no_changes', 'merge: no changes');
      if (changes.some(c => c.type === 'changed') && strategy === 'none') throw new SrvError('conflict', 'conflict found');
      const commit = addCommit(id, [branch.commitId, resolve(id, source)], committer, message, theirs);
      branch.commitId = commit.id;
      return commit;
    },
    findMergeBase: async (id, source, destination) => ({
      sourceCommitId: resolve(id, source),
      destinationCommitId: resolve(id, destination),
      baseCommitId: resolve(id, destination),
    }),
    async revert(id, name, { ref, committer, parentNumber = 0 }) {
      const reverted = commitOf(id, ref);
      if (reverted.parents.length > 1 && parentNumber === 0)
        throw new SrvError('conflict', 'must specify 1-based parent number for reverting merge commit');
      const branch = branchOf(id, name);
      const commit = addCommit(
        id,
        [branch.commitId],
        committer,
        `Revert ${ref}`,
        repo(id).commits.get(reverted.parents[0] ?? '')?.snapshot ?? new Map(),
      );
      branch.commitId = commit.id;
      return commit;
    },
    async cherryPick(id, name, { ref, committer }) {
      const branch = branchOf(id, name);
      const commit = addCommit(id, [branch.commitId], committer, commitOf(id, ref).message, snapshotOf(id, ref), {
        'cherry-pick-origin': resolve(id, ref),
      });
      branch.commitId = commit.id;
      return commit;
    },

    diffUncommitted: async (id, name, page) =>
      pageOf(diffOf(repo(id).commits.get(branchOf(id, name).commitId)?.snapshot ?? new Map(), snapshotOf(id, name)), d => d.path, page),
    diff: async (id, left, right, page) => pageOf(diffOf(snapshotOf(id, left), snapshotOf(id, right)), d => d.path, page),

    async getEntry(id, ref, path) {
      const entry = snapshotOf(id, ref).get(path);
      if (!entry) throw new SrvError('not_found', `${path}: object not found`);
      return entry;
    },
    listText: async () => undefined,
    async list(id, ref, { delimiter = '', prefix = '', after = '', amount = 100 } = {}) {
      const items = new Map<string, ListItem>();
      for (const [path, entry] of snapshotOf(id, ref)) {
        if (!path.startsWith(prefix)) continue;
        const end = delimiter === '' ? -1 : path.indexOf(delimiter, prefix.length);
        const shown = end < 0 ? path : path.slice(0, end + delimiter.length);
        items.set(shown, end < 0 ? { kind: 'object', path, entry } : { kind: 'common_prefix', path: shown });
      }
      return pageOf([...items.values()], item => item.path, { after, amount });
    },
    async open(_id, entry, { range } = {}) {
      const content = contents.get(entry.address);
      if (!content) throw new SrvError('no_data', 'the object is gone');
      const part = range ? content.subarray(range.start, range.end + 1) : content;
      // In pieces, as a real store would.
      return Readable.from(
        (function* () {
          for (let at = 0; at < part.length; at += 65_536) yield part.subarray(at, at + 65_536);
        })(),
        { objectMode: false },
      );
    },
    async putObject(id, branch, path, body, { contentType = 'application/octet-stream', metadata = {}, condition, size } = {}) {
      guard(id, branch, path, condition ? { condition } : {});
      const chunks: Buffer[] = [];
      if (Buffer.isBuffer(body)) chunks.push(body);
      else for await (const chunk of body) chunks.push(Buffer.from(chunk as Buffer));
      const content = Buffer.concat(chunks);
      if (size !== undefined && size !== content.length)
        throw new SrvError('invalid', `body has ${content.length} bytes instead of ${size}`);
      const address = `data/${hex()}`;
      contents.set(address, content);
      return stage(id, branch, {
        path,
        address,
        addressType: 1,
        physicalAddress: `${repo(id).record.storageNamespace}/${address}`,
        lastModified: new Date(),
        size: content.length,
        etag: createHash('md5').update(content).digest('hex'),
        metadata,
        contentType,
      });
    },
    async checkWrite(id, branch, path, request) {
      guard(id, branch, path, request);
    },
    requireUnmoved: async () => undefined,
    async stageEntry(
      id,
      branch,
      path,
      { address, addressType, size, etag, contentType = 'application/octet-stream', metadata = {}, lastModified = new Date(), condition },
    ) {
      guard(id, branch, path, condition ? { condition } : {});
      const physicalAddress = addressType === 1 ? `${repo(id).record.storageNamespace}/${address}` : address;
      return stage(id, branch, { path, address, addressType, physicalAddress, lastModified, size, etag, metadata, contentType });
    },
    async copyObject(id, source, destination) {
      const entry = await engine.getEntry(id, source.ref, source.path);
      return stage(id, destination.branch, { ...entry, path: destination.path, lastModified: new Date() });
    },
    async deleteObject(id, branch, path) {
      guard(id, branch, path);
      branchOf(id, branch).staged.set(path, undefined);
    },
    async deleteObjectIf(id, branch, path, condition) {
      guard(id, branch, path);
      const entry = snapshotOf(id, branch).get(path);
      if (!entry) throw new SrvError('not_found', `${path}: object not found`);
      if (!condition(entry)) throw new SrvError('precondition_failed', 'Precondition failed');
      branchOf(id, branch).staged.set(path, undefined);
    },
    async deleteObjects(id, branch, paths) {
      branchOf(id, branch);
      return paths.flatMap(path => {
        try {
          guard(id, branch, path);
          branchOf(id, branch).staged.set(path, undefined);
          return [];
        } catch (error) {
          return [{ path, error }];
        }
      });
    },
    async setObjectMetadata(id, branch, path, metadata) {
      const entry = await engine.getEntry(id, branch, path);
      stage(id, branch, { ...entry, metadata: typeof metadata === 'function' ? metadata(entry.metadata) : metadata });
    },

    // Tested over the real engine.
    copyPrefix: missing,
    startStorageMove: missing,
    storageMove: missing,
    async *movingRepositories() {},
    abortStorageMove: missing,
    continueStorageMoves: missing,
    deletedBranches: missing,
    undeleteBranch: missing,
    branchLog: missing,
    lastCommits: missing,
    compactBranch: missing,
    branchCompaction: missing,
    submitCommit: missing,
    commitStatus: missing,
    submitMerge: missing,
    mergeStatus: missing,
    draftMerge: missing,
    dumpRefs: missing,
    submitDump: missing,
    dumpStatus: missing,
    restoreRefs: missing,
    submitRestore: missing,
    restoreStatus: missing,
    createCommitRecord: missing,
    createSymlinks: missing,

    metadataLocation: async (id, metadataId) => {
      repo(id);
      return `_srv/${metadataId}`;
    },
    repositories: unsupported,
    updateRepositoryMetadata: missing,
    import: missing,
    view: missing,
    committedPart: missing,
    uncommittedRecords: unsupported,
    withPins: missing,
    get tables() {
      return unsupported();
    },
    get hooks() {
      return unsupported();
    },
    openMetadata: async () => ({ size: 5, body: Readable.from([Buffer.from('table')]) }),
  };
  return engine;
}
