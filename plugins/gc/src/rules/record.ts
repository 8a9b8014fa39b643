/**
 * GarbageCollectionRules (io.treeverse.lakefs.graveler): 1 default_retention_days, 2 branch_retention_days as a map. Fields
 * from 100 on are this product's own; other programs skip them.
 */
import { createHash } from 'node:crypto';
import { ProtoWriter, readFields } from '@srv/lib-records';
import type { BranchRule, PatternRule, Rules, TagRetention } from './rules.js';

const own = { patterns: 100, tags: 101, tagDays: 102, keepLast: 103 } as const;
const tagWords = ['', 'none', 'all', 'days'] as const;

/** Never empty: no bytes mean that no rules are set. */
export function encodeRules({ defaultRetentionDays, branches, patterns = [], tags, keepLastCommits }: Rules): Buffer {
  const writer = new ProtoWriter();
  writer.raw([days(1, defaultRetentionDays)]);
  for (const { branchId, retentionDays } of [...branches].sort((a, b) => (a.branchId < b.branchId ? -1 : 1)))
    writer.bytes(2, named(branchId, retentionDays), true);
  for (const { pattern, retentionDays } of patterns) writer.bytes(own.patterns, named(pattern, retentionDays), true);
  if (tags) writer.int(own.tags, tagWords.indexOf(tags.keep));
  if (tags?.keep === 'days') writer.int(own.tagDays, tags.retentionDays);
  if (keepLastCommits) writer.int(own.keepLast, keepLastCommits);
  return writer.finish();
}

/** `undefined` when no rules are set. @throws SrvError `corrupt`. */
export function decodeRules(bytes: Buffer): Rules | undefined {
  if (bytes.length === 0) return undefined;
  const what = 'garbage collection rules';
  let defaultRetentionDays = 0;
  const branches: BranchRule[] = [];
  const patterns: PatternRule[] = [];
  let keep: (typeof tagWords)[number] = '';
  let tagDays = 0;
  let keepLast = 0;
  for (const { field, int, bytes: value } of readFields(bytes, what)) {
    if (field === 1) defaultRetentionDays = int;
    else if (field === 2) {
      const { name, retentionDays } = readNamed(value, what);
      branches.push({ branchId: name, retentionDays });
    } else if (field === own.patterns) {
      const { name, retentionDays } = readNamed(value, what);
      patterns.push({ pattern: name, retentionDays });
    } else if (field === own.tags) keep = tagWords[int] ?? '';
    else if (field === own.tagDays) tagDays = int;
    else if (field === own.keepLast) keepLast = int;
  }
  const tags: TagRetention | undefined = keep === '' ? undefined : keep === 'days' ? { keep, retentionDays: tagDays } : { keep };
  return {
    defaultRetentionDays,
    branches,
    ...(patterns.length > 0 ? { patterns } : {}),
    ...(tags ? { tags } : {}),
    ...(keepLast > 0 ? { keepLastCommits: keepLast } : {}),
  };
}

/** A number that is written even when it is 0. */
function days(field: number, value: number): Buffer {
  return value === 0 ? Buffer.from([field * 8, 0]) : new ProtoWriter().int(field, value).finish();
}

function named(name: string, retentionDays: number): Buffer {
  return new ProtoWriter()
    .string(1, name, true)
    .raw([days(2, retentionDays)])
    .finish();
}

function readNamed(bytes: Buffer, what: string): { readonly name: string; readonly retentionDays: number } {
  let name = '';
  let retentionDays = 0;
  for (const { field, int, bytes: value } of readFields(bytes, what)) {
    if (field === 1) name = value.toString('utf8');
    else if (field === 2) retentionDays = int;
  }
  return { name, retentionDays };
}

/** Names a state of the rules: hash of the stored bytes; empty where no rules are set. */
export function etagOf(rules: Rules | undefined): string {
  return rules ? createHash('sha256').update(encodeRules(rules)).digest('hex') : '';
}

export function sameRules(a: Rules | undefined, b: Rules | undefined): boolean {
  return (a ? encodeRules(a) : Buffer.alloc(0)).equals(b ? encodeRules(b) : Buffer.alloc(0));
}
