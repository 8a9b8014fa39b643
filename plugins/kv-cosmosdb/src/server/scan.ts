/** Pages of one partition in the byte order of the keys. */
import { encode } from './base32hex.js';
import { entryOf } from './document.js';
import { misplacedBefore, textFrom } from './key-order.js';
import type { Container, SqlQuerySpec } from '@azure/cosmos';
import type { KvEntry } from '@srv/kernel';
import type { KvDocument } from './document.js';

export interface ScanSource {
  readonly container: Container;
  /** In base32. */
  readonly partitionKey: string;
  readonly start: Buffer;
  readonly batchSize: number | undefined;
  /** Sends a request of the scan. */
  readonly send: <T>(send: (options: { abortSignal?: AbortSignal }) => Promise<T>) => Promise<T>;
  /** Reads one key of the partition. */
  readonly get: (key: Buffer) => Promise<Buffer | undefined>;
}

type Found = Pick<KvDocument, 'key' | 'value'>;

/** Entries of a page; the service may return fewer. */
const pageEntries = 500;

/** No snapshot: each page is a query of its own, from the last text of the page before. */
export async function* scanPages(source: ScanSource): AsyncGenerator<readonly KvEntry[]> {
  const order = new ByteOrder(source);
  let first = Math.min(source.batchSize || pageEntries, pageEntries);
  let [comparison, from]: ['>=' | '>', string] = ['>=', textFrom(source.start)];
  for (let limit = first; ; limit = pageEntries) {
    const { documents, more } = await queryPage(source, comparison, from, limit);
    const last = documents.at(-1);
    if (last === undefined) return;
    const page = await order.sort(documents);
    // Keys read ahead of their place may make the first page longer than asked for.
    if (page.length > first) yield page.splice(0, first);
    if (page.length > 0) yield page;
    if (!more) return;
    first = Number.POSITIVE_INFINITY;
    [comparison, from] = ['>', last.key];
  }
}

async function queryPage({ container, partitionKey, send }: ScanSource, comparison: '>=' | '>', from: string, limit: number) {
  const query: SqlQuerySpec = {
    // The partition is named twice, since emulators look at the condition only.
    query: `SELECT * FROM c WHERE c.partitionKey = @partitionKey AND c.key ${comparison} @from ORDER BY c.key`,
    parameters: [
      { name: '@partitionKey', value: partitionKey },
      { name: '@from', value: from },
    ],
  };
  return send(async options => {
    const pages = container.items.query<Found>(query, { partitionKey, maxItemCount: limit, ...options });
    for (;;) {
      // An empty page does not mean that nothing follows.
      const documents = resourcesOf(await pages.fetchNext());
      if (documents.length > 0 || !pages.hasMoreResults()) return { documents, more: pages.hasMoreResults() };
    }
  });
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
      for (const key of misplacedBefore(entry.key)) {
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
