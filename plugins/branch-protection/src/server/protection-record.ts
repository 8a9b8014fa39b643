/** BranchProtectionRules (io.treeverse.lakefs.graveler). */
import { setMember } from '@srv/kernel';
import { ProtoWriter, readFields } from '@srv/lib-records';
import type { BlockedAction } from '@srv/engine/contract';

const actions: readonly BlockedAction[] = ['staging_write', 'commit'];

/** An empty set of rules encodes to no bytes. */
export function encodeProtection(rules: Readonly<Record<string, readonly BlockedAction[]>>): Buffer {
  const writer = new ProtoWriter();
  for (const pattern of Object.keys(rules).sort()) {
    const packed = Buffer.from((rules[pattern] ?? []).map(action => actions.indexOf(action)));
    const blocked = new ProtoWriter().bytes(1, packed).finish();
    writer.bytes(1, new ProtoWriter().string(1, pattern, true).bytes(2, blocked, true).finish(), true);
  }
  return writer.finish();
}

export function decodeProtection(bytes: Buffer): Record<string, BlockedAction[]> {
  const rules: Record<string, BlockedAction[]> = {};
  for (const { field: rule, bytes: entry } of readFields(bytes, 'branch protection rules')) {
    if (rule !== 1) continue;
    let pattern = '';
    const blocked: BlockedAction[] = [];
    for (const { field, bytes: value } of readFields(entry, 'branch protection rule')) {
      if (field === 1) pattern = value.toString('utf8');
      else if (field === 2) blocked.push(...decodeActions(value));
    }
    setMember(rules, pattern, blocked);
  }
  return rules;
}

/** A repeated enum, packed or not. An action of a newer release, which cannot be checked here, blocks all that can be. */
function decodeActions(bytes: Buffer): BlockedAction[] {
  const numbers = [...readFields(bytes, 'blocked actions')].flatMap(({ field, int, bytes: packed }) =>
    field !== 1 ? [] : packed.length > 0 ? [...packed] : [int],
  );
  return numbers.every(n => n < actions.length) ? numbers.flatMap(n => actions[n] ?? []) : [...actions];
}
