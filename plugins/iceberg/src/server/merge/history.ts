/** Snapshots that led to the current one of a table, and which of them only one side of a merge has. */
import { isObject, plainText } from '../exact-json.js';
import type { Snapshot, TableMetadata } from '../metadata/model.js';

/** Names the snapshot that a snapshot repeats, as cherry-picks of Iceberg do. */
export const repeatedKey = 'source-snapshot-id';

export interface ChainLink {
  readonly id: string;
  /** Absent: it has expired. */
  readonly snapshot: Snapshot | undefined;
  /** The snapshot whose change it is: a merge gives snapshots new ids. */
  readonly origin: string;
}

/** From the current snapshot back, as far as its ancestors are known. */
export function chainOf(metadata: TableMetadata): ChainLink[] {
  const byId = new Map(metadata.snapshots.map(snapshot => [plainText(snapshot['snapshot-id']), snapshot]));
  const chain: ChainLink[] = [];
  const seen = new Set<string>();
  for (let next: unknown = metadata['current-snapshot-id']; next !== undefined && next !== null; ) {
    const id = plainText(next);
    if (seen.has(id)) break;
    seen.add(id);
    const snapshot = byId.get(id);
    const repeated = snapshot && summaryOf(snapshot)[repeatedKey];
    chain.push({ id, snapshot, origin: typeof repeated === 'string' ? repeated : id });
    next = snapshot?.['parent-snapshot-id'];
  }
  return chain;
}

export function summaryOf(snapshot: Snapshot): Readonly<Record<string, unknown>> {
  const summary = snapshot['summary'];
  return isObject(summary) ? summary : {};
}

/** `append`, `replace` (a compaction), `overwrite` or `delete`; `unknown` where the writer does not say. */
export function operationOf({ snapshot }: ChainLink): string {
  const operation = snapshot && summaryOf(snapshot)['operation'];
  return typeof operation === 'string' ? operation : 'unknown';
}

/** Snapshots that led to the current one of a side, and are not known in the base, oldest first. */
export function newLinks(side: TableMetadata, base: TableMetadata): ChainLink[] {
  const known = new Set(chainOf(base).flatMap(({ id, origin }) => [id, origin]));
  return chainOf(side)
    .filter(({ id, origin }) => !known.has(id) && !known.has(origin))
    .reverse();
}

/** Whether a side still has the current snapshot of the base, be it repeated under another id. */
export function hasHeadOf(base: TableMetadata, side: TableMetadata): boolean {
  const [head] = chainOf(base);
  return !head || chainOf(side).some(({ id, origin }) => id === head.id || origin === head.origin);
}
