/**
 * Folders of a repository's storage namespace that lie beside its refs (hook `gatewayFolder`). What is in them has no versions:
 * it is written once and read where it lies, since commits and tags may refer to it. Deletions are accepted and leave the objects
 * to the plugin whose folder it is, which alone knows what else refers to them.
 */
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { isMet, preconditionFailed } from '@srv/engine/objects/write-condition';
import { SrvError, isSrvError } from '@srv/kernel';
import { checkWritable } from '@srv/lib-records';
import { KeyedLock, identifierType, namespaceOf, walkUri } from '@srv/lib-stores/block';
import type { Readable } from 'node:stream';
import type { Engine, Entry, ListItem, Page, PutRequest, Repository, RepositoryName, WriteCondition } from '@srv/engine/contract';
import type { Hooks } from '@srv/kernel';
import type { BlockStore, ObjectPointer, ObjectProperties } from '@srv/lib-stores/block';

/** Name of a folder in keys → the prefix below the storage namespace. */
export type Folders = ReadonlyMap<string, string>;

/** Whether the first part of a key names a folder rather than a ref, whose names never begin with a dot. */
export function isFolder(ref: string): boolean {
  return ref.startsWith('.');
}

/** @throws SrvError `plugin` for a name that could be a ref. */
export function foldersOf(hooks: Pick<Hooks, 'gatewayFolder'>): Folders {
  const folders = new Map<string, string>();
  hooks.gatewayFolder.call((name, folder) => {
    if (!isFolder(name)) throw new SrvError('plugin', `the folder ${name} of the gateway must have a name that begins with a dot`);
    folders.set(name, folder);
  });
  return folders;
}

/** The engine, with the folders as further refs. */
export function withFolders(engine: Engine, block: BlockStore, folders: Folders): Engine {
  if (folders.size === 0) return engine;
  const files = new FolderFiles(engine, block, folders);
  return {
    ...engine,
    getEntry: (id, ref, path) => (isFolder(ref) ? files.entry(id, ref, path) : engine.getEntry(id, ref, path)),
    list: (id, ref, request) => (isFolder(ref) ? files.list(id, ref, request) : engine.list(id, ref, request)),
    checkWrite: (id, ref, path, request = {}) =>
      isFolder(ref) ? files.checkWrite(id, ref, path, request.condition) : engine.checkWrite(id, ref, path, request),
    putObject: (id, ref, path, body, request = {}) =>
      isFolder(ref) ? files.put({ id, ref, path }, body, request) : engine.putObject(id, ref, path, body, request),
    stageEntry: (repository, ref, path, request) =>
      isFolder(ref) ? files.move({ id: repository, ref, path }, request.address) : engine.stageEntry(repository, ref, path, request),
    deleteObject: async (id, ref, path, options) => (isFolder(ref) ? void files.keep(ref) : engine.deleteObject(id, ref, path, options)),
    deleteObjectIf: async (id, ref, path, condition, options) =>
      isFolder(ref) ? void files.keep(ref) : engine.deleteObjectIf(id, ref, path, condition, options),
    deleteObjects: async (id, ref, paths, options) =>
      isFolder(ref) ? [...files.keep(ref)] : engine.deleteObjects(id, ref, paths, options),
    setObjectMetadata: async (id, ref, path, metadata, options) => {
      if (isFolder(ref)) throw new SrvError('unsupported', `objects in ${ref} have no metadata`);
      return engine.setObjectMetadata(id, ref, path, metadata, options);
    },
    getBranch: async (id, ref) => (isFolder(ref) ? files.asBranch(ref) : engine.getBranch(id, ref)),
  };
}

interface Place {
  readonly id: RepositoryName;
  /** Name of the folder. */
  readonly ref: string;
  readonly path: string;
}

const defaultAmount = 1000;

class FolderFiles {
  readonly #engine: Engine;
  readonly #block: BlockStore;
  readonly #folders: Folders;
  readonly #locks = new KeyedLock();

  constructor(engine: Engine, block: BlockStore, folders: Folders) {
    this.#engine = engine;
    this.#block = block;
    this.#folders = folders;
  }

  /** @throws SrvError `not_found`. */
  folder(ref: string): string {
    const folder = this.#folders.get(ref);
    if (folder === undefined) throw new SrvError('not_found', `there is no folder ${ref}`);
    return folder;
  }

  /** Deletions leave the objects to the plugin. @returns no failures. */
  keep(ref: string): readonly never[] {
    this.folder(ref);
    return [];
  }

  asBranch(ref: string) {
    this.folder(ref);
    return { id: ref, commitId: '', stagingToken: '', sealedTokens: [], hidden: true };
  }

  async entry(id: RepositoryName, ref: string, path: string): Promise<Entry> {
    return this.#entryAt(await this.#engine.getRepository(id), { id, ref, path });
  }

  async checkWrite(id: RepositoryName, ref: string, path: string, condition: WriteCondition | undefined): Promise<void> {
    const repository = await this.#writable(id);
    await this.#check(repository, { id, ref, path }, condition);
  }

  async put(place: Place, body: Parameters<Engine['putObject']>[3], request: PutRequest): Promise<Entry> {
    const repository = await this.#writable(place.id);
    const pointer = this.#pointer(repository, place);
    return this.#locks.run(this.#block.resolve(pointer), async () => {
      await this.#check(repository, place, request.condition);
      const { size, md5, signal, storageClass } = request;
      if (await this.#find(repository, place)) await this.#demandSame(pointer, place, body);
      else
        await this.#block.put(pointer, body, {
          size,
          md5,
          signal,
          storageClass,
        });
      await this.#engine.requireUnmoved(repository);
      const entry = await this.#entryAt(repository, place);
      const etag = Buffer.isBuffer(body) ? createHash('md5').update(body).digest('hex') : await md5?.();
      return etag === undefined ? entry : { ...entry, etag };
    });
  }

  /**
   * Gives an object that was joined from parts, or copied, its place.
   * @param place names the repository as it was read before the object was stored.
   */
  async move(place: Place, address: string): Promise<Entry> {
    const repository = await this.#writable(place.id);
    const source = { namespace: namespaceOf(repository), identifier: address, identifierType: identifierType.relative };
    const pointer = this.#pointer(repository, place);
    return this.#locks.run(this.#block.resolve(pointer), async () => {
      if (await this.#find(repository, place)) await this.#demandSame(pointer, place, await this.#block.get(source));
      else await this.#block.copy(source, pointer);
      await this.#engine.requireUnmoved(repository);
      await this.#block.remove(source);
      return this.#entryAt(repository, place);
    });
  }

  /** Passes for a request that is repeated. @throws SrvError `forbidden` for other bytes than those that are there. */
  async #demandSame(pointer: ObjectPointer, { ref, path }: Place, body: Readable | Buffer): Promise<void> {
    const given = await digestOf(body);
    if ((await digestOf(await this.#block.get(pointer))) === given) return;
    throw new SrvError('forbidden', `${ref}/${path} exists: objects in ${ref} are never replaced; write under another name`, {
      details: { unwritten: true },
    });
  }

  async list(id: RepositoryName, ref: string, request: Parameters<Engine['list']>[2] = {}): Promise<Page<ListItem>> {
    const repository = await this.#engine.getRepository(id);
    const { prefix = '', delimiter = '', after = '', amount = defaultAmount } = request;
    const results: ListItem[] = [];
    // Stores of folders walk whole folders.
    const inside = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    for await (const page of this.#walk(repository, { id, ref, path: inside }, after)) {
      for (const { relativeKey, ...facts } of page) {
        const path = inside + relativeKey;
        if (!path.startsWith(prefix)) continue;
        const cut = delimiter === '' ? -1 : path.indexOf(delimiter, prefix.length);
        const shown = cut < 0 ? path : path.slice(0, cut + delimiter.length);
        if (Buffer.compare(Buffer.from(shown), Buffer.from(after)) <= 0 || results.at(-1)?.path === shown) continue;
        if (results.length === amount) return { results, hasMore: true, nextOffset: results.at(-1)?.path ?? '' };
        if (cut < 0) results.push({ kind: 'object', path, entry: await this.#listed(repository, { id, ref, path }, facts) });
        else results.push({ kind: 'common_prefix', path: shown });
      }
    }
    return { results, hasMore: false, nextOffset: '' };
  }

  /** Without etags where the store would have to read the objects for them, also those that the page does not show. */
  #walk(repository: Repository, folder: Place, after: string): ReturnType<BlockStore['walk']> {
    const { namespace, identifier } = this.#pointer(repository, folder);
    return this.#block.walk(walkUri(this.#block, namespace, identifier), {
      etags: false,
      after: after.startsWith(folder.path) ? after.slice(folder.path.length) : '',
    });
  }

  /** What the walk says where that is all: for most stores each further question is a request. */
  async #listed(repository: Repository, place: Place, facts: ObjectProperties): Promise<Entry> {
    return facts.etag === '' ? this.#entryAt(repository, place) : this.#entryOf(place, this.#pointer(repository, place), facts);
  }

  async #writable(id: RepositoryName): Promise<Repository> {
    const repository = await this.#engine.getRepository(id);
    checkWritable(repository, {});
    return repository;
  }

  async #check(repository: Repository, place: Place, condition: WriteCondition | undefined): Promise<void> {
    this.folder(place.ref);
    if (!condition) return;
    const found = await this.#find(repository, place);
    if (!isMet(condition, found)) throw preconditionFailed(condition);
  }

  #find(repository: Repository, place: Place): Promise<Entry | undefined> {
    return this.#entryAt(repository, place).catch((error: unknown) => {
      if (isSrvError(error, 'not_found')) return undefined;
      throw error;
    });
  }

  /** @throws SrvError `invalid` for a path that could lead to another folder. */
  #pointer(repository: Repository, { ref, path }: Place): ObjectPointer {
    const namespace = namespaceOf(repository);
    if (path.split('/').some(part => part === '..' || part === '.'))
      throw new SrvError('invalid', `${path} is not a key in ${ref}: its parts must not be . or ..`);
    return { namespace, identifier: this.folder(ref) + path, identifierType: identifierType.relative };
  }

  async #entryAt(repository: Repository, place: Place): Promise<Entry> {
    const pointer = this.#pointer(repository, place);
    try {
      return this.#entryOf(place, pointer, await this.#block.properties(pointer));
    } catch (error) {
      if (isSrvError(error, 'no_data')) throw new SrvError('not_found', `${place.ref}/${place.path}: not found`, { cause: error });
      throw error;
    }
  }

  #entryOf({ path }: Place, pointer: ObjectPointer, { size, lastModified, etag }: ObjectProperties): Entry {
    return {
      path,
      address: pointer.identifier,
      addressType: identifierType.relative,
      physicalAddress: this.#block.resolve(pointer),
      lastModified,
      size,
      etag,
      metadata: {},
      contentType: 'application/octet-stream',
    };
  }
}

async function digestOf(body: Readable | Buffer): Promise<string> {
  const hash = createHash('sha256');
  if (Buffer.isBuffer(body)) hash.update(body);
  else await pipeline(body, hash);
  return hash.digest('hex');
}
