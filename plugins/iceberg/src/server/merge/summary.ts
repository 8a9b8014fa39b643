/** Summaries of repeated snapshots: their own counts stay, the totals are those of the table that they are added to. */
import { summaryOf } from './history.js';
import type { Snapshot } from '../metadata/model.js';

/** Total, and what a snapshot adds to it and takes from it. */
const totals: readonly (readonly [string, string, string])[] = [
  ['total-records', 'added-records', 'deleted-records'],
  ['total-data-files', 'added-data-files', 'deleted-data-files'],
  ['total-files-size', 'added-files-size', 'removed-files-size'],
  ['total-delete-files', 'added-delete-files', 'removed-delete-files'],
  ['total-position-deletes', 'added-position-deletes', 'removed-position-deletes'],
  ['total-equality-deletes', 'added-equality-deletes', 'removed-equality-deletes'],
];

/** @param before snapshot that it follows. A total that is not known is left out. */
export function summaryAfter(before: Snapshot | undefined, repeated: Snapshot): Record<string, unknown> {
  const earlier: Readonly<Record<string, unknown>> | undefined = before && summaryOf(before);
  const own = summaryOf(repeated);
  const summary: Record<string, unknown> = { ...own };
  for (const [total, added, removed] of totals) {
    const known = earlier ? countOf(earlier[total]) : 0n;
    const sum = known === undefined ? undefined : known + (countOf(own[added]) ?? 0n) - (countOf(own[removed]) ?? 0n);
    if (sum === undefined || sum < 0n) delete summary[total];
    else if (own[total] !== undefined) summary[total] = String(sum);
  }
  return summary;
}

function countOf(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^\d{1,19}$/.test(value) ? BigInt(value) : undefined;
}
