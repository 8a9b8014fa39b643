/** Pointers to tables and views in everything that stays: commits, uncommitted changes, what operations have pinned. */
import { decodeEntry } from '@srv/engine/objects/entry';
import { decodeValue } from '@srv/engine/tables/format';
import { SrvError, isSrvError, throwIfAborted } from '@srv/kernel';
import { namespaceOf } from '@srv/lib-stores/block';
import { isObject, parseExact } from '../exact-json.js';
import { catalogPrefix } from '../names.js';
import { transactionPath } from '../storage/pointers.js';
import type { Engine, Entry, FileCollection, Repository } from '@srv/engine/contract';
import type { BlockStore } from '@srv/lib-stores/block';

type StoredRecord = Pick<Entry, 'path' | 'address' | 'addressType'>;

export interface KeptMetadata {
  /** Address of a metadata file. */
  readonly location: string;
  /** Of a change of several tables that did not happen: earlier versions removed the file. */
  readonly mayBeMissing?: boolean;
}

/** As a pointer names it. */
interface NamedMetadata {
  readonly location: string;
  /** Id of the change of several tables that may move the pointer there; absent: the pointer is there already. */
  readonly transaction?: string;
}

type TableCursor = Awaited<ReturnType<Engine['tables']['cursor']>>;

interface PointerParts {
  readonly engine: Engine;
  readonly block: BlockStore;
}

/** Bytes of the longest record. */
const maxRecord = 1 << 20;
const prefix = Buffer.from(catalogPrefix);

export class KeptPointers {
  readonly #collection: FileCollection;
  readonly #parts: PointerParts;
  readonly #metaranges = new Set<string>();
  readonly #ranges = new Set<string>();
  /** Addresses of pointers that were read. */
  readonly #read = new Set<string>();

  constructor(collection: FileCollection, parts: PointerParts) {
    this.#collection = collection;
    this.#parts = parts;
  }

  /** Metadata files that pointers name and that were not found before. @throws SrvError when a pointer cannot be read. */
  async *fresh(): AsyncGenerator<KeptMetadata> {
    const { staged, kept, repository } = this.#collection;
    // What is staged is committed next: it is looked for first.
    for await (const rows of staged(catalogPrefix))
      for (const row of rows) {
        const found = await this.#metadataOf(row);
        yield* found.map(({ location }) => ({ location }));
      }
    const { metaranges, addresses } = await kept();
    for (const metarange of metaranges) yield* this.#committed(repository, metarange);
    for (const address of addresses) if (address.endsWith('.metadata.json')) yield { location: address };
  }

  async *#committed(repository: Repository, metarange: string): AsyncGenerator<KeptMetadata> {
    if (this.#metaranges.has(metarange)) return;
    const namespace = namespaceOf(repository);
    const { tables } = this.#parts.engine;
    const fresh: string[] = [];
    for await (const page of tables.ranges(namespace, metarange))
      for (const { id, minKey, maxKey } of page)
        if (!this.#ranges.has(id) && Buffer.compare(maxKey, prefix) >= 0 && (startsWith(minKey) || Buffer.compare(minKey, prefix) <= 0))
          fresh.push(id);
    throwIfAborted(this.#collection.signal);
    if (fresh.length > 0) {
      const cursor = await tables.cursor(namespace, metarange);
      try {
        await cursor.seek(prefix);
        const pending: Required<NamedMetadata>[] = [];
        for (; cursor.valid && startsWith(cursor.key); await cursor.next())
          for (const { location, transaction } of await this.#metadataOf(recordAt(cursor))) {
            if (transaction === undefined) yield { location };
            else pending.push({ location, transaction });
          }
        for (const { location, transaction } of pending) yield { location, mayBeMissing: !(await this.#hasHappened(transaction, cursor)) };
      } finally {
        cursor.close();
      }
    }
    // Only now: an error leaves them to be read again.
    for (const id of fresh) this.#ranges.add(id);
    this.#metaranges.add(metarange);
  }

  async #metadataOf(record: StoredRecord): Promise<readonly NamedMetadata[]> {
    const { path, address } = record;
    if (!/^[^/]+\/(tables|views)\/[^/]+$/.test(path.slice(catalogPrefix.length)) || this.#read.has(address)) return [];
    const found = await this.#content(record, content => {
      const named = locations(content);
      if (named.length === 0) throw new SrvError('corrupt', 'it names no metadata file');
      return named;
    });
    // Whether the rest of it counts is another question in each commit.
    if (found.every(({ transaction }) => transaction === undefined)) this.#read.add(address);
    return found;
  }

  /** Whether a commit has the record of a change of several tables, as one that happened. @param cursor of the commit; it is moved. */
  async #hasHappened(transaction: string, cursor: TableCursor): Promise<boolean> {
    const path = Buffer.from(transactionPath(transaction));
    await cursor.seek(path);
    if (!cursor.valid || !cursor.key.equals(path)) return false;
    return this.#content(recordAt(cursor), content => isObject(content) && content['state'] === 'committed');
  }

  async #content<T>({ path, address, addressType }: StoredRecord, read: (content: unknown) => T): Promise<T> {
    const { repository } = this.#collection;
    const [namespace, { id }] = [namespaceOf(repository), repository];
    const pieces: Buffer[] = [];
    let length = 0;
    try {
      for await (const piece of await this.#parts.block.get({ namespace, identifier: address, identifierType: addressType })) {
        length += (piece as Buffer).length;
        if (length > maxRecord) throw new SrvError('corrupt', 'it is too long');
        pieces.push(piece as Buffer);
      }
      return read(await parseExact(Buffer.concat(pieces), 'it'));
    } catch (error) {
      if (!isSrvError(error, 'no_data', 'corrupt') && !(error instanceof Error && error.name === 'CatalogError')) throw error;
      throw new SrvError('conflict', `the pointer ${id}/${path} at ${address} cannot be read: ${error.message}`, { cause: error });
    }
  }
}

function recordAt(cursor: TableCursor): StoredRecord {
  const { address, addressType } = decodeEntry(decodeValue(cursor.value).data);
  return { path: cursor.key.toString('utf8'), address, addressType };
}

/** The metadata file of a pointer, and the one that a change of several tables may give it. */
function locations(pointer: unknown): readonly NamedMetadata[] {
  if (!isObject(pointer)) return [];
  const { 'metadata-location': current, pending } = pointer;
  const named: NamedMetadata[] = typeof current === 'string' ? [{ location: current }] : [];
  if (!isObject(pending) || typeof pending['metadata-location'] !== 'string') return named;
  return [...named, { location: pending['metadata-location'], transaction: String(pending['transaction']) }];
}

function startsWith(key: Buffer): boolean {
  return key.subarray(0, prefix.length).equals(prefix);
}
