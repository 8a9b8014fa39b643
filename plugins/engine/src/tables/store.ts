/** Committed metadata as a service: lookups and cursors here, building and comparing in workers. */

import { SrvError, isSrvError } from '@srv/kernel';
import { orAborted } from '@srv/lib-stores/block';
import { LRUCache } from 'lru-cache';
import { MetarangeCursor } from './algorithms/index.js';
import { HeldTables } from './cache/held-tables.js';
import { ReaderPool } from './cache/reader-pool.js';
import { decodeDescriptor, isTableId, userProperty } from './format/index.js';
import { LeasedCursor } from './leased-cursor.js';
import { MetarangeIndex } from './metarange-index.js';
import type { FileKind } from './cache/cache-meter.js';
import type { FileCache } from './cache/file-cache.js';
import type {
  ApplyRequest,
  ApplyResult,
  CommittedCursor,
  CommittedStore,
  Comparison,
  DiffMetarangesRequest,
  MergeMetarangesRequest,
  MetadataFile,
  ReplaceRequest,
} from './contract.js';
import type { KeptBlock, RangeDescriptor, TableReader } from './format/index.js';
import type { MetadataFolders } from './metadata-folders.js';
import type { WorkerPool } from './workers/worker-pool.js';

interface CommittedStoreOptions {
  readonly files: Readonly<Record<FileKind, FileCache>>;
  readonly workers: WorkerPool;
  readonly folders: MetadataFolders;
  /** @bound bytes of decoded blocks */
  readonly memory: number;
  /** @bound idle readers per kind of file */
  readonly openReaders: Readonly<Record<FileKind, number>>;
}

export class TieredCommittedStore implements CommittedStore {
  readonly #options: CommittedStoreOptions;
  readonly #pools: Readonly<Record<FileKind, ReaderPool>>;
  readonly #indexes = new WeakMap<TableReader, MetarangeIndex>();

  constructor(options: CommittedStoreOptions) {
    this.#options = options;
    const { files, memory, openReaders } = options;
    const cache =
      memory > 0
        ? new LRUCache<number, KeptBlock>({ maxSize: memory, sizeCalculation: ({ bytes }) => Math.max(1, bytes.length) })
        : undefined;
    this.#pools = {
      range: new ReaderPool(files.range, { limit: openReaders.range, cache, keepsAhead: true }),
      'meta-range': new ReaderPool(files['meta-range'], { limit: openReaders['meta-range'], cache, keepsAhead: true }),
    };
  }

  get prefix(): string {
    return this.#options.folders.forNew;
  }

  useFolder(folder: string | (() => Promise<string>)): void {
    this.#options.folders.useForNew(folder);
  }

  folderForNew(): Promise<string> {
    return this.#options.folders.decideForNew();
  }

  findFolder(namespace: string, id: string): Promise<string | undefined> {
    return this.#options.folders.find(namespace, id);
  }

  async folderOf(namespace: string): Promise<string> {
    return this.#options.folders.forWriting(namespace);
  }

  async get(namespace: string, metarangeId: string, key: Buffer): Promise<Buffer | undefined> {
    const metarange = this.#pools['meta-range'].peek(namespace, metarangeId);
    if (metarange) {
      // Everything is open: no step has to wait.
      const range = this.#rangeIn(metarange, key);
      if (range === undefined) return undefined;
      const reader = this.#pools.range.peek(namespace, range.id);
      if (reader) return this.#getOrHeal(reader, namespace, range.id, key);
    }
    const range = await this.#rangeAround(namespace, metarangeId, key);
    return range && this.#read('range', namespace, range.id, reader => reader.get(key));
  }

  /** A damaged copy is fetched again. */
  #getOrHeal(reader: TableReader, namespace: string, id: string, key: Buffer): Buffer | undefined | Promise<Buffer | undefined> {
    try {
      return reader.get(key);
    } catch (error) {
      if (!isSrvError(error, 'corrupt')) throw error;
      return this.#pools.range.discard(namespace, id).then(() => this.#read('range', namespace, id, fresh => fresh.get(key)));
    }
  }

  async rangeOf(namespace: string, metarangeId: string, key: Buffer): Promise<string | undefined> {
    return (await this.#rangeAround(namespace, metarangeId, key))?.id;
  }

  async cursor(namespace: string, metarangeId: string): Promise<CommittedCursor> {
    const held = new HeldTables((kind, id) => this.#pools[kind].acquire(namespace, id));
    const metarange = metarangeId === '' ? undefined : await held.open('meta-range', metarangeId);
    const left = (id: string): void => {
      held.leave(id);
      held.giveBack();
    };
    return new LeasedCursor(new MetarangeCursor(metarange, id => held.open('range', id), left), held);
  }

  async kindOf(namespace: string, metarangeId: string): Promise<string> {
    checkTableId(metarangeId);
    return this.#read('meta-range', namespace, metarangeId, reader =>
      reader.property(userProperty.type) === 'metaranges' ? (reader.property(userProperty.entity) ?? 'object') : 'range',
    );
  }

  async *ranges(namespace: string, metarangeId: string): AsyncGenerator<readonly RangeDescriptor[]> {
    if (metarangeId === '') return;
    const lease = await this.#pools['meta-range'].acquire(namespace, metarangeId);
    try {
      const cursor = lease.reader.cursor();
      let page: RangeDescriptor[] = [];
      for (cursor.first(); cursor.valid; cursor.next()) {
        page.push(decodeDescriptor(cursor.value));
        if (page.length < 1000) continue;
        yield page;
        page = [];
      }
      if (page.length > 0) yield page;
    } finally {
      lease.release();
    }
  }

  apply(request: ApplyRequest): Promise<ApplyResult> {
    return this.#apply(request, false);
  }

  applyStaged(request: ApplyRequest): Promise<ApplyResult> {
    return this.#apply(request, true);
  }

  async #apply({ namespace, base, changes, properties = {}, signal }: ApplyRequest, staged: boolean): Promise<ApplyResult> {
    await orAborted(this.findFolder(namespace, base), signal);
    return this.#options.workers.run<ApplyResult>({ kind: 'apply', base, staged, properties }, { namespace, changes, signal });
  }

  async merge({ namespace, signal, destination, source, base, strategy }: MergeMetarangesRequest): Promise<string> {
    await orAborted(this.findFolder(namespace, destination || source), signal);
    return this.#options.workers.run<string>({ kind: 'merge', destination, source, base, strategy }, { namespace, signal });
  }

  async replace({ namespace, signal, base, added, prefixes, keys }: ReplaceRequest): Promise<string> {
    await orAborted(this.findFolder(namespace, base || added), signal);
    return this.#options.workers.run<string>({ kind: 'replace', base, added, prefixes, keys }, { namespace, signal });
  }

  diff({
    namespace,
    signal,
    left,
    right,
    base,
    exact = false,
    start,
    prefix,
  }: DiffMetarangesRequest): AsyncIterable<readonly Comparison[]> {
    const from = start ?? prefix;
    return this.#options.workers.stream(
      {
        kind: 'diff',
        left,
        right,
        exact,
        base,
        start: from,
        prefix,
      },
      { namespace, signal },
    );
  }

  async location(namespace: string, id: string): Promise<string> {
    checkTableId(id);
    return `${(await this.findFolder(namespace, id)) ?? this.prefix}/${id}`;
  }

  async open(namespace: string, kind: 'range' | 'meta_range', id: string): Promise<MetadataFile> {
    checkTableId(id);
    try {
      return await this.#options.folders.openSized(namespace, id);
    } catch (error) {
      if (isSrvError(error, 'no_data')) throw new SrvError('not_found', `${kind} ${id} not found`, { cause: error });
      throw error;
    }
  }

  close(): void {
    for (const pool of Object.values(this.#pools)) pool.close();
  }

  async #rangeAround(namespace: string, metarangeId: string, key: Buffer): Promise<RangeDescriptor | undefined> {
    return metarangeId === '' ? undefined : this.#read('meta-range', namespace, metarangeId, reader => this.#rangeIn(reader, key));
  }

  #rangeIn(reader: TableReader, key: Buffer): RangeDescriptor | undefined {
    let index = this.#indexes.get(reader);
    if (index === undefined) {
      index = new MetarangeIndex(reader);
      this.#indexes.set(reader, index);
    }
    return index.find(key);
  }

  /** Reads from a table; a damaged copy is fetched again once. */
  async #read<T>(kind: FileKind, namespace: string, id: string, read: (reader: TableReader) => T): Promise<T> {
    const pool = this.#pools[kind];
    for (let attempt = 1; ; attempt++) {
      const lease = await pool.acquire(namespace, id);
      try {
        return read(lease.reader);
      } catch (error) {
        if (attempt > 1 || !isSrvError(error, 'corrupt')) throw error;
        await pool.discard(namespace, id);
      } finally {
        lease.release();
      }
    }
  }
}

function checkTableId(id: string): void {
  if (!isTableId(id))
    throw new SrvError('invalid', `${JSON.stringify(id)} is not a range or metarange id: 64 hexadecimal characters are expected`);
}
