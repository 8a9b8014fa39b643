/** Which snapshots expire, compared with a walk over the whole history of each branch. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { seededRandom } from '@srv/kernel/testing';
import { expiredSnapshots } from '../src/server/metadata/expiry.js';
import { emptyMetadata } from '../src/server/metadata/model.js';
import type { ExpiryRules } from '../src/server/metadata/expiry.js';
import type { Snapshot, SnapshotRef, TableMetadata } from '../src/server/metadata/model.js';

const now = 1_000_000;

/** A history in which every snapshot follows the one before it, made a second after it. */
function tableWith(length: number, refs: Record<string, Partial<SnapshotRef>>): TableMetadata {
  const snapshots = Array.from({ length }, (_, i) => ({
    'snapshot-id': i + 1,
    'timestamp-ms': now - (length - i) * 1000,
    ...(i > 0 ? { 'parent-snapshot-id': i } : {}),
  }));
  const named = Object.entries(refs).map(([name, ref]) => [name, { type: 'branch', 'snapshot-id': length, ...ref }]);
  return {
    ...emptyMetadata('s3://lake/t', ''),
    snapshots,
    refs: Object.fromEntries(named),
    'current-snapshot-id': length,
  } as TableMetadata;
}

it('a branch keeps what is young enough for it, though another one that leads there keeps less', () => {
  const strict = { 'max-snapshot-age-ms': 1, 'min-snapshots-to-keep': 3 };
  const generous = { 'max-snapshot-age-ms': 8000, 'min-snapshots-to-keep': 1 };
  for (const refs of [
    { main: strict, other: generous },
    { main: generous, other: strict },
  ])
    assert.deepEqual(expiredSnapshots(tableWith(10, refs), { now }), ['1', '2']);
});

it('many branches at the end of a long history are walked once', () => {
  const branches = Array.from({ length: 2000 }, (_, i) => [`b${i}`, { 'max-snapshot-age-ms': 1 }]);
  const expired = expiredSnapshots(tableWith(20_000, Object.fromEntries(branches) as Record<string, object>), { now });
  assert.equal(expired.length, 19_999);
});

it('random histories expire as a walk for each branch says', t => {
  const random = seededRandom();
  t.diagnostic(`seed ${random.seed}`);
  for (let round = 0; round < 500; round++) {
    const count = random.below(12) + 1;
    const snapshots = Array.from({ length: count }, (_, i) => ({
      'snapshot-id': i + 1,
      'timestamp-ms': now - random.below(10) * 1000,
      ...(i > 0 && random.below(4) > 0 ? { 'parent-snapshot-id': random.below(i) + 1 } : {}),
    }));
    const refs = Array.from({ length: random.below(5) + 1 }, (_, i): [string, object] => [
      `r${i}`,
      {
        type: random.below(5) === 0 ? 'tag' : 'branch',
        'snapshot-id': random.below(count) + 1,
        ...(random.below(2) ? { 'max-snapshot-age-ms': random.below(10) * 1000 } : {}),
        ...(random.below(2) ? { 'min-snapshots-to-keep': random.below(5) } : {}),
      },
    ]);
    const table = { ...emptyMetadata('s3://lake/t', ''), snapshots, refs: Object.fromEntries(refs) } as TableMetadata;
    const rules = { now, ...(random.below(3) ? {} : { olderThan: now - 5000 }), ...(random.below(3) ? {} : { retainLast: 2 }) };
    assert.deepEqual(expiredSnapshots(table, rules), walked(table, rules), JSON.stringify({ table, rules }));
  }
});

/** The rules of the format, without a thought about how long it takes. Five days are the usual age. */
function walked({ snapshots, refs }: TableMetadata, rules: ExpiryRules): string[] {
  const kept = new Set<Snapshot>();
  const led = new Set<Snapshot>();
  const find = (id: unknown): Snapshot | undefined => snapshots.find(snapshot => snapshot['snapshot-id'] === id);
  const usual = rules.olderThan ?? now - 5 * 86_400_000;
  for (const ref of Object.values(refs)) {
    const head = find(ref['snapshot-id']);
    if (ref.type === 'tag' && head) kept.add(head);
    if (ref.type === 'tag') continue;
    const age = ref['max-snapshot-age-ms'] as number | undefined;
    const before = rules.olderThan ?? (age === undefined ? usual : now - age);
    const least = Math.max(1, rules.retainLast ?? (ref['min-snapshots-to-keep'] as number | undefined) ?? 1);
    let count = 0;
    for (let snapshot = head; snapshot; snapshot = find(snapshot['parent-snapshot-id'])) {
      led.add(snapshot);
      if (count++ < least || Number(snapshot['timestamp-ms']) >= before) kept.add(snapshot);
    }
  }
  return snapshots
    .filter(snapshot => !kept.has(snapshot) && (led.has(snapshot) || Number(snapshot['timestamp-ms']) < usual))
    .map(snapshot => String(snapshot['snapshot-id']));
}
