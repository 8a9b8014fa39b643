/** Which snapshots of a table have expired, by the rules of Iceberg: branches of the table keep their newest snapshots, tags theirs. */
import { isSame, isWhole, plainNumber, plainText } from '../exact-json.js';
import type { SnapshotRef, TableMetadata } from './model.js';

export interface ExpiryRules {
  /** Milliseconds since 1970: younger snapshots stay. Absent: the table says, else five days before `now`. */
  readonly olderThan?: number | undefined;
  /** Newest snapshots of each branch that stay, whatever their age. Absent: the table says, else one. */
  readonly retainLast?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const usualAge = 5 * 86_400_000;

/** @returns ids, oldest first. */
export function expiredSnapshots(table: TableMetadata, rules: ExpiryRules): string[] {
  const byId = new Map(table.snapshots.map(snapshot => [plainText(snapshot['snapshot-id']), snapshot]));
  const usual = {
    before: rules.olderThan ?? rules.now - (setting(table.properties['history.expire.max-snapshot-age-ms']) ?? usualAge),
    least: rules.retainLast ?? setting(table.properties['history.expire.min-snapshots-to-keep']) ?? 1,
  };
  const kept = new Set<string>();
  /** Snapshots that branches lead to, with the earliest `before` of the branches that came past: what precedes them is decided for it. */
  const reached = new Map<string, number>();
  const keepBranch = (ref: SnapshotRef): void => {
    const age = setting(ref['max-snapshot-age-ms']);
    const before = rules.olderThan ?? (age === undefined ? usual.before : rules.now - age);
    const least = Math.max(1, rules.retainLast ?? setting(ref['min-snapshots-to-keep']) ?? usual.least);
    let count = 0;
    for (let next: unknown = ref['snapshot-id']; next !== undefined && next !== null; ) {
      const id = plainText(next);
      const snapshot = byId.get(id);
      const earliest = reached.get(id) ?? Number.POSITIVE_INFINITY;
      if (!snapshot || (count >= least && earliest <= before)) return;
      reached.set(id, Math.min(earliest, before));
      if (count++ < least || plainNumber(snapshot['timestamp-ms']) >= before) kept.add(id);
      if (count > byId.size) return;
      next = snapshot['parent-snapshot-id'];
    }
  };
  for (const ref of Object.values(table.refs))
    if (ref.type === 'tag') kept.add(plainText(ref['snapshot-id']));
    else keepBranch(ref);
  return table.snapshots
    .filter(snapshot => {
      const id = plainText(snapshot['snapshot-id']);
      // What no branch leads to may be staged for one.
      return (
        !kept.has(id) &&
        (reached.has(id) || plainNumber(snapshot['timestamp-ms']) < usual.before) &&
        !isSame(table['current-snapshot-id'], id)
      );
    })
    .map(snapshot => plainText(snapshot['snapshot-id']));
}

function setting(value: unknown): number | undefined {
  const number = isWhole(value) || (typeof value === 'string' && /^\d{1,15}$/.test(value)) ? Number(value) : undefined;
  return number !== undefined && number >= 0 ? number : undefined;
}
