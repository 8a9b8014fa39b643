/** Rows of staging partitions: a branch's uncommitted writes, newest partition first. */
import { PageCursor } from '../tables/algorithms/page-cursor.js';
import { decodeStaged } from './messages/index.js';
import type { KvEntry, KvStore, Predicate } from '@srv/kernel';
import type { Branch, StoredValue } from './contract.js';

export interface StagedRow {
  readonly key: Buffer;
  /** Absent: a tombstone. */
  readonly value: StoredValue | undefined;
}

/** A row as it was read, to be compared and set. */
interface StagedRead {
  readonly value: StoredValue | undefined;
  readonly predicate: Predicate;
}

/** Partitions of a branch, in order of precedence. */
export function tokensOf({ stagingToken, sealedTokens }: Branch): string[] {
  return [stagingToken, ...sealedTokens];
}

/** The smallest key greater than `key`. */
export function keyAfter(key: Buffer): Buffer {
  return Buffer.concat([key, Buffer.of(0)]);
}

export async function readStaged(kv: KvStore, token: string, key: Buffer): Promise<StagedRead | undefined> {
  const found = await kv.get(token, key);
  return found && { value: decodeStaged(found.value), predicate: found.predicate };
}

/** First row of the key in `tokens`; a tombstone counts as found. */
export async function findStaged(kv: KvStore, tokens: readonly string[], key: Buffer): Promise<StagedRow | undefined> {
  for (const token of tokens) {
    const row = await readStaged(kv, token, key);
    if (row) return { key, value: row.value };
  }
  return undefined;
}

/** Whether a partition has no row at all. */
export async function isEmptyPartition(kv: KvStore, token: string): Promise<boolean> {
  for await (const page of kv.scan(token, { batchSize: 1 })) if (page.length > 0) return false;
  return true;
}

/** Smallest key from `from` on of which one of the partitions has a row, a tombstone included. */
export async function firstStagedKey(kv: KvStore, tokens: readonly string[], from: Buffer): Promise<Buffer | undefined> {
  const first = async (token: string): Promise<Buffer | undefined> => {
    for await (const page of kv.scan(token, { batchSize: 1, start: from.length > 0 ? from : undefined })) if (page[0]) return page[0].key;
    return undefined;
  };
  const keys = await Promise.all(tokens.map(first));
  return keys.reduce((least, key) => (key && (!least || Buffer.compare(key, least) < 0) ? key : least), undefined);
}

/** Rows of several partitions in key order; of equal keys the one of the first partition. */
export async function* scanStaged(kv: KvStore, tokens: readonly string[], start?: Buffer, batchSize?: number): AsyncGenerator<StagedRow[]> {
  for await (const page of scanRows(kv, tokens, start, batchSize))
    yield page.map(({ key, value }) => ({ key, value: decodeStaged(value) }));
}

/** {@link scanStaged} with the values as they are stored. */
export async function* scanRows(
  kv: KvStore,
  tokens: readonly string[],
  start?: Buffer,
  batchSize?: number,
): AsyncGenerator<readonly KvEntry[]> {
  const options = { start, batchSize: batchSize || undefined };
  if (tokens.length === 1) {
    yield* kv.scan(tokens[0] ?? '', options);
    return;
  }
  const sources = await Promise.all(tokens.map(token => PageCursor.open(kv.scan(token, options))));
  try {
    let page: KvEntry[] = [];
    for (;;) {
      const first = sources.reduce<PageCursor<KvEntry> | undefined>(
        (best, s) => (s.current && (!best?.current || Buffer.compare(s.current.key, best.current.key) < 0) ? s : best),
        undefined,
      );
      if (!first?.current) break;
      const entry = first.current;
      page.push(entry);
      if (page.length >= pageRows) {
        yield page;
        page = [];
      }
      for (const source of sources) if (source.current?.key.equals(entry.key)) await source.next();
    }
    if (page.length > 0) yield page;
  } finally {
    await Promise.all(sources.map(source => source.close()));
  }
}

const pageRows = 512;
