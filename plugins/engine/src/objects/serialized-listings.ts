/**
 * Pages of tables objects as text. Blocks of tables records never change, so what was written of one is kept: a page is
 * put together from a few long pieces, and no item is taken apart again.
 */
import { pageSize } from '@srv/lib-records';
import { namespaceOf } from '@srv/lib-stores/block';
import { LRUCache } from 'lru-cache';
import { decodeValue } from '../tables/format/index.js';
import { entryFrom } from './entries.js';
import { afterPrefix, firstKey, startsWith } from './listing.js';
import { SerializedBlock } from './serialized-block.js';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Repository } from '../refs/contract.js';
import type { CommittedCursor, CommittedStore } from '../tables/contract.js';
import type { ItemSerializer, TextPage } from './contract.js';
import type { PagedRequest } from './listing.js';

/** @bound bytes of the texts kept for one way to write items */
const maxBytes = 48 << 20;

interface CommittedTextPage extends TextPage {
  /** Key after the page, which shows that there is more; absent: the page reaches to the last key with the prefix. */
  readonly nextKey?: Buffer;
}

export class SerializedListings {
  readonly #tables: CommittedStore;
  readonly #store: BlockStore;
  readonly #maxBytes: number;
  readonly #kept = new WeakMap<ItemSerializer, LRUCache<string, SerializedBlock>>();

  constructor(tables: CommittedStore, store: BlockStore, kept = maxBytes) {
    this.#tables = tables;
    this.#store = store;
    this.#maxBytes = kept;
  }

  /** What the metarange alone shows. @param request without a delimiter. */
  async page(repository: Repository, metarangeId: string, request: PagedRequest, serialize: ItemSerializer): Promise<CommittedTextPage> {
    const prefix = Buffer.from(request.prefix ?? '', 'utf8');
    const limit = pageSize(request.amount);
    const prefixEnd = afterPrefix(prefix);
    const pieces: Buffer[] = [];
    let count = 0;
    let last: Buffer | undefined;
    let from = firstKey(request);
    if (request.after && from.equals(Buffer.from(request.after, 'utf8'))) from = Buffer.concat([from, Buffer.of(0)]);
    const cursor = await this.#tables.cursor(namespaceOf(repository), metarangeId);
    try {
      await cursor.seek(from);
      while (cursor.valid) {
        const block = this.#text(repository, cursor, serialize);
        const first = block.indexOf(from);
        // Nothing follows the empty prefix.
        const end = prefixEnd.length === 0 || startsWith(block.keyAt(block.length - 1), prefix) ? block.length : block.indexOf(prefixEnd);
        const taken = Math.min(end, first + limit - count);
        if (taken > first) {
          pieces.push(block.slice(first, taken));
          count += taken - first;
          last = block.keyAt(taken - 1);
        }
        if (taken < end) return { pieces, count, hasMore: true, nextOffset: last?.toString('utf8') ?? '', nextKey: block.keyAt(taken) };
        if (end < block.length) break;
        const moving = cursor.nextBlock();
        if (moving) await moving;
      }
      return { pieces, count, hasMore: false, nextOffset: '' };
    } finally {
      cursor.close();
    }
  }

  #text(repository: Repository, cursor: CommittedCursor, serialize: ItemSerializer): SerializedBlock {
    const kept = this.#keptFor(serialize);
    const name = `${namespaceOf(repository)} ${cursor.block}`;
    const known = kept.get(name);
    if (known) return known;
    const items: { readonly key: Buffer; readonly text: string }[] = [];
    for (const { key, value } of cursor.blockRecords()) {
      const path = key.toString('utf8');
      items.push({ key, text: serialize({ kind: 'object', path, entry: entryFrom(this.#store, repository, path, decodeValue(value)) }) });
    }
    const text = new SerializedBlock(items);
    kept.set(name, text);
    return text;
  }

  #keptFor(serialize: ItemSerializer): LRUCache<string, SerializedBlock> {
    const known = this.#kept.get(serialize);
    if (known) return known;
    const kept = new LRUCache<string, SerializedBlock>({ maxSize: this.#maxBytes, sizeCalculation: ({ bytes }) => bytes });
    this.#kept.set(serialize, kept);
    return kept;
  }
}
