/** Pointers to tables and views in everything that stays: commits, uncommitted changes, what operations have pinned. */
import { decodeEntry } from '@srv/engine/objects/entry';
import { decodeValue } from '@srv/engine/tables/format';
import { SrvError, isSrvError, throwIfAborted } from '@srv/kernel';
import { namespaceOf } from '@srv/lib-stores/block';
import { isObject, parseExact } from '../exact-json.js';
import { catalogPrefix } from '../names.js';
import type { Engine, Entry, FileCollection, Repository } from '@srv/engine/contract';
import type { BlockStore } from '@srv/lib-stores/block';

type StoredPointer = Pick<Entry, 'path' | 'address' | 'addressType'>;

interface PointerParts {
  readonly engine: Engine;
  readonly block: BlockStore;
}

/** Bytes of the longest pointer. */
const maxPointer = 1 << 20;
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
  async *fresh(): AsyncGenerator<string> {
    const { staged, kept, repository } = this.#collection;
    // What is staged is committed next: it is looked for first.
    for await (const rows of staged(catalogPrefix)) for (const row of rows) yield* this.#metadataOf(row);
    const { metaranges, addresses } = await kept();
    for (const metarange of metaranges) yield* this.#committed(repository, metarange);
    for (const address of addresses) if (address.endsWith('.metadata.json')) yield address;
  }

  async *#committed(repository: Repository, metarange: string): AsyncGenerator<string> {
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
        for (; cursor.valid && startsWith(cursor.key); await cursor.next()) {
          const { address, addressType } = decodeEntry(decodeValue(cursor.value).data);
          yield* this.#metadataOf({ path: cursor.key.toString('utf8'), address, addressType });
        }
      } finally {
        cursor.close();
      }
    }
    // Only now: an error leaves them to be read again.
    for (const id of fresh) this.#ranges.add(id);
    this.#metaranges.add(metarange);
  }

  async *#metadataOf({ path, address, addressType }: StoredPointer): AsyncGenerator<string> {
    if (!/^[^/]+\/(tables|views)\/[^/]+$/.test(path.slice(catalogPrefix.length)) || this.#read.has(address)) return;
    const { repository } = this.#collection;
    const [namespace, { id }] = [namespaceOf(repository), repository];
    const pieces: Buffer[] = [];
    let length = 0;
    try {
      for await (const piece of await this.#parts.block.get({ namespace, identifier: address, identifierType: addressType })) {
        length += (piece as Buffer).length;
        if (length > maxPointer) throw new SrvError('corrupt', 'it is too long');
        pieces.push(piece as Buffer);
      }
      yield* locations(parseExact(Buffer.concat(pieces).toString('utf8')));
      this.#read.add(address);
    } catch (error) {
      if (!isSrvError(error, 'no_data', 'corrupt') && !(error instanceof Error && error.name === 'CatalogError')) throw error;
      throw new SrvError('conflict', `the pointer ${id}/${path} at ${address} cannot be read: ${error.message}`, { cause: error });
    }
  }
}

/** The metadata file of a pointer, and the one that a change of several tables may give it. */
function* locations(pointer: unknown): Generator<string> {
  const found = isObject(pointer) ? [pointer, pointer['pending']].flatMap(one => (isObject(one) ? [one['metadata-location']] : [])) : [];
  const texts = found.filter(location => typeof location === 'string');
  if (texts.length === 0) throw new SrvError('corrupt', 'it names no metadata file');
  yield* texts;
}

function startsWith(key: Buffer): boolean {
  return key.subarray(0, prefix.length).equals(prefix);
}
