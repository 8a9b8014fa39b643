/** Several block stores as one: each pointer says in its namespace which of them it means. */
import { createReadStream } from 'node:fs';
import { SrvError } from '@srv/kernel';
import { splitNamespace } from './namespaces.js';
import type { Readable } from 'node:stream';
import type {
  BlockStore,
  ByteRange,
  CompletedUpload,
  GetOptions,
  NamedStore,
  ObjectPointer,
  ObjectProperties,
  OpenUpload,
  PartList,
  PreSigned,
  PutOptions,
  RemovalFailure,
  SignedRequest,
  StorageInfo,
  UploadStep,
  UploadedPart,
  WalkOptions,
  WalkedObject,
} from './contract.js';

/** The `blockstore.type` of an installation with several stores. */
export const joinedType = 'multiple';

/** @param stores at least one. They are closed with the joined store. */
export function joinStores(stores: readonly NamedStore[]): BlockStore {
  return new JoinedStores(stores);
}

/**
 * The store that holds a namespace; `block` itself where it is the only one. It takes addresses without a storage id.
 * @throws SrvError `unavailable` when no store of that id is configured.
 */
export function storeOf(block: BlockStore, namespace: string): BlockStore {
  return block.stores === undefined ? block : storeNamed(block.stores, splitNamespace(namespace).storageId);
}

function storeNamed(stores: readonly NamedStore[], storageId: string): BlockStore {
  const found = stores.find(({ id, isDefault }) => (storageId === '' ? isDefault : id === storageId));
  if (found) return found.store;
  const ids = stores.map(({ id }) => id).join(', ');
  throw storageId === ''
    ? new SrvError('invalid', `no storage id is given, and no block store is the default one; choose one of ${ids}`)
    : new SrvError('unavailable', `block store ${JSON.stringify(storageId)} is not configured; configured are ${ids}`);
}

class JoinedStores implements BlockStore {
  readonly type = joinedType;
  readonly stores: readonly NamedStore[];

  constructor(stores: readonly NamedStore[]) {
    this.stores = stores;
  }

  /** What is said where no repository is named. */
  get info(): StorageInfo {
    const { store } = this.stores.find(({ isDefault }) => isDefault) ?? (this.stores[0] as NamedStore);
    const infos = this.stores.map(named => named.store.info);
    return {
      ...store.info,
      productionSafe: infos.every(info => info.productionSafe),
      isShared: infos.every(info => info.isShared !== false),
    };
  }

  resolve(pointer: ObjectPointer): string {
    return this.#at(pointer, (store, plain) => store.resolve(plain));
  }

  async checkReadable(pointer: ObjectPointer): Promise<void> {
    await this.#at(pointer, (store, plain) => store.checkReadable?.(plain));
  }

  async put(pointer: ObjectPointer, body: Readable | Buffer, options?: PutOptions): Promise<{ lastModified: Date }> {
    return this.#at(pointer, (store, plain) => store.put(plain, body, options));
  }

  async putFile(pointer: ObjectPointer, path: string, options?: Pick<PutOptions, 'size'>): Promise<{ lastModified: Date }> {
    return this.#at(pointer, (store, plain) => {
      if (store.putFile) return store.putFile(plain, path, options);
      // The store reports what goes wrong with a body.
      const body = createReadStream(path).on('error', () => undefined);
      return store.put(plain, body, options);
    });
  }

  async get(pointer: ObjectPointer, options?: GetOptions): Promise<Readable> {
    return this.#at(pointer, (store, plain) => store.get(plain, options));
  }

  async exists(pointer: ObjectPointer): Promise<boolean> {
    return this.#at(pointer, (store, plain) => store.exists(plain));
  }

  async properties(pointer: ObjectPointer): Promise<ObjectProperties> {
    return this.#at(pointer, (store, plain) => store.properties(plain));
  }

  async remove(pointer: ObjectPointer): Promise<void> {
    return this.#at(pointer, (store, plain) => store.remove(plain));
  }

  async removeAll(
    pointers: readonly ObjectPointer[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<readonly RemovalFailure[]> {
    const lots = new Map<BlockStore, Map<ObjectPointer, ObjectPointer>>();
    for (const pointer of pointers)
      this.#at(pointer, (store, plain) => {
        const lot = lots.get(store) ?? new Map<ObjectPointer, ObjectPointer>();
        lots.set(store, lot.set(plain, pointer));
      });
    const failures: RemovalFailure[] = [];
    for (const [store, lot] of lots)
      for (const { pointer, error } of await store.removeAll([...lot.keys()], options))
        failures.push({ pointer: lot.get(pointer) ?? pointer, error });
    return failures;
  }

  /** Within a store by the store, from one to another through this server. */
  async copy(source: ObjectPointer, destination: ObjectPointer, signal?: AbortSignal): Promise<void> {
    await this.#at(source, (from, plainSource) =>
      this.#at(destination, async (to, plain) => {
        if (from === to) return from.copy(plainSource, plain, signal);
        const { size, storageClass } = await from.properties(plainSource);
        const body = await from.get(plainSource, { expectedSize: size, signal });
        // Names of classes are those of a kind of store.
        const kept = storageClass !== undefined && from.type === to.type ? storageClass : undefined;
        await whileOpen(body, to.put(plain, body, { size, storageClass: kept, signal }));
      }),
    );
  }

  async createMultipart(pointer: ObjectPointer, options?: { storageClass?: string }): Promise<{ uploadId: string }> {
    return this.#at(pointer, (store, plain) => store.createMultipart(plain, options));
  }

  async uploadPart(
    pointer: ObjectPointer,
    uploadId: string,
    partNumber: number,
    body: Readable | Buffer,
    options?: PutOptions,
  ): Promise<{ etag: string }> {
    return this.#at(pointer, (store, plain) => store.uploadPart(plain, uploadId, partNumber, body, options));
  }

  async copyPart(
    source: ObjectPointer,
    destination: ObjectPointer,
    uploadId: string,
    partNumber: number,
    range?: ByteRange,
  ): Promise<{ etag: string; lastModified: Date }> {
    return this.#at(source, (from, plainSource) =>
      this.#at(destination, async (to, plain) => {
        if (from === to) return from.copyPart(plainSource, plain, uploadId, partNumber, range);
        const { size } = await from.properties(plainSource);
        const bytes = range === undefined ? size : Math.max(0, Math.min(range.end + 1, size) - range.start);
        const body = await from.get(plainSource, { range });
        const { etag } = await whileOpen(body, to.uploadPart(plain, uploadId, partNumber, body, { size: bytes }));
        return { etag, lastModified: new Date() };
      }),
    );
  }

  async listParts(pointer: ObjectPointer, uploadId: string, options?: Parameters<BlockStore['listParts']>[2]): Promise<PartList> {
    return this.#at(pointer, (store, plain) => store.listParts(plain, uploadId, options));
  }

  async completeMultipart(pointer: ObjectPointer, uploadId: string, parts: readonly UploadedPart[]): Promise<CompletedUpload> {
    return this.#at(pointer, (store, plain) => store.completeMultipart(plain, uploadId, parts));
  }

  async abortMultipart(pointer: ObjectPointer, uploadId: string): Promise<void> {
    return this.#at(pointer, (store, plain) => store.abortMultipart(plain, uploadId));
  }

  async preSign(pointer: ObjectPointer, mode: 'read' | 'write', filename?: string): Promise<PreSigned> {
    return this.#at(pointer, (store, plain) => store.preSign(plain, mode, filename));
  }

  async preSignPart(pointer: ObjectPointer, uploadId: string, partNumber: number): Promise<PreSigned> {
    return this.#at(pointer, (store, plain) => store.preSignPart(plain, uploadId, partNumber));
  }

  async preSignUpload(pointer: ObjectPointer, step: UploadStep): Promise<SignedRequest> {
    return this.#at(pointer, async (store, plain) => {
      if (!store.preSignUpload) throw new SrvError('unsupported', `${store.type} does not take multipart uploads of clients alone`);
      if (step.step !== 'copyPart') return store.preSignUpload(plain, step);
      const { storageId, storageNamespace } = splitNamespace(step.source.namespace);
      if (storeNamed(this.stores, storageId) !== store)
        throw new SrvError('unsupported', 'the source of a part is in another block store: read it, and upload the part');
      return store.preSignUpload(plain, { ...step, source: { ...step.source, namespace: storageNamespace } });
    });
  }

  async *walk(uri: string, options?: WalkOptions): AsyncGenerator<readonly WalkedObject[]> {
    yield* storeOf(this, uri).walk(splitNamespace(uri).storageNamespace, options);
  }

  async *openUploads(uri: string, options?: { readonly signal?: AbortSignal | undefined }): AsyncGenerator<readonly OpenUpload[]> {
    yield* storeOf(this, uri).openUploads?.(splitNamespace(uri).storageNamespace, options) ?? [];
  }

  /** All are closed, whatever one of them says. */
  async close(): Promise<void> {
    const outcomes = await Promise.allSettled(this.stores.map(async ({ store }) => store.close()));
    const failed = outcomes.find(outcome => outcome.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** Runs `work` with the store of a pointer, and the pointer as that store understands it. */
  #at<T>(pointer: ObjectPointer, work: (store: BlockStore, plain: ObjectPointer) => T): T {
    const { storageId, storageNamespace } = splitNamespace(pointer.namespace);
    return work(storeNamed(this.stores, storageId), { ...pointer, namespace: storageNamespace });
  }
}

/** The same stores, each seen through `wrap`, in the same places. */
export function mapStores(block: BlockStore, wrap: (store: BlockStore, storageId: string) => BlockStore): BlockStore {
  return block.stores === undefined
    ? wrap(block, '')
    : joinStores(block.stores.map(named => ({ ...named, store: wrap(named.store, named.id) })));
}

/** Ends a body with the work that reads it, which may fail before it begins to: the store it comes from waits for its reader. */
async function whileOpen<T>(body: Readable, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } finally {
    body.destroy();
  }
}
