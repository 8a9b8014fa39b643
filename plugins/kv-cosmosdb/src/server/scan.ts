/** Pages of one partition in the byte order of the keys. */
import { encode } from './base32hex.js';
import { entryOf } from './document.js';
import { keysSortedTooLate, textFrom } from './key-order.js';
import type { Container, SqlQuerySpec } from '@azure/cosmos';
import type { KvEntry } from '@srv/kernel';
import type { KvDocument } from './document.js';

interface ScanSource {
  readonly container: Container;
  /** In base32. */
  readonly partitionKey: string;
  readonly start: Buffer;
  readonly batchSize: number | undefined;
  /** Of each request. */
  readonly options: { readonly abortSignal?: AbortSignal };
  /** Reads one key of the partition. */
  readonly get: (key: Buffer) => Promise<Buffer | undefined>;
}

type Found = Pick<KvDocument, 'key' | 'value'>;

/** Entries of a page; the service may return fewer. */
const pageEntries = 500;

/** No snapshot: a query is continued from page to page by the service. */
export async function* scanPages(source: ScanSource): AsyncGenerator<readonly KvEntry[]> {
  const order = new ByteOrder(source);
  const first = Math.min(source.batchSize || pageEntries, pageEntries);
  let isFirst = true;
  for await (const documents of documentPages(source, first)) {
    const page = await order.sort(documents);
    // Keys read ahead of their place may make the first page longer than asked for.
    if (isFirst && page.length > first) yield page.splice(0, first);
    if (page.length > 0) yield page;
    isFirst = false;
  }
}

/** The size of pages is a query's own: a first page of another size is a separate query. */
async function* documentPages(source: ScanSource, first: number): AsyncGenerator<readonly Found[]> {
  let [comparison, from]: ['>=' | '>', string] = ['>=', textFrom(source.start)];
  if (first < pageEntries) {
    const { done, value } = await query(source, comparison, from, first).next();
    const last = value?.documents.at(-1);
    if (done || !last) return;
    yield value.documents;
    if (!value.more) return;
    [comparison, from] = ['>', last.key];
  }
  for await (const { documents } of query(source, comparison, from, pageEntries)) yield documents;
}

/** Pages that are not empty. */
async function* query({ container, partitionKey, options }: ScanSource, comparison: '>=' | '>', from: string, limit: number) {
  const spec: SqlQuerySpec = {
    // The partition is named twice, since emulators look at the condition only.
    query: `SELECT * FROM c WHERE c.partitionKey = @partitionKey AND c.key ${comparison} @from ORDER BY c.key`,
    parameters: [
      { name: '@partitionKey', value: partitionKey },
      { name: '@from', value: from },
    ],
  };
  const pages = container.items.query<Found>(spec, { partitionKey, maxItemCount: limit, ...options });
  do {
    const documents = resourcesOf(await pages.fetchNext());
    // An empty page does not mean that nothing follows.
    if (documents.length > 0) yield { documents, more: pages.hasMoreResults() };
  } while (pages.hasMoreResults());
}

/** After the last page the SDK answers without any, whatever its types say. */
function resourcesOf({ resources }: { readonly resources?: readonly Found[] }): readonly Found[] {
  return resources ?? [];
}

/** Puts right what the database sorts otherwise than by bytes. */
class ByteOrder {
  readonly #source: ScanSource;
  /** Texts of keys that were looked for ahead of their place; they are not returned again there. */
  readonly #settled = new Set<string>();

  constructor(source: ScanSource) {
    this.#source = source;
  }

  async sort(documents: readonly Found[]): Promise<KvEntry[]> {
    const page: KvEntry[] = [];
    for (const document of documents) {
      // The text was passed: nothing before it is misplaced any more.
      if (this.#settled.delete(document.key)) continue;
      const entry = entryOf(document);
      for (const key of keysSortedTooLate(entry.key)) {
        const text = encode(key);
        if (this.#settled.has(text)) continue;
        this.#settled.add(text);
        const value = this.#isBefore(key) ? undefined : await this.#source.get(key);
        if (value !== undefined) page.push({ key, value });
      }
      if (!this.#isBefore(entry.key)) page.push(entry);
    }
    return page;
  }

  #isBefore(key: Buffer): boolean {
    return Buffer.compare(key, this.#source.start) < 0;
  }
}
