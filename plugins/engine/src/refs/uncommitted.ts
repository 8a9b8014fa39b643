/** Differences between a branch's staged rows and its head commit. */

import { namespaceOf } from '@srv/lib-stores/block';
import { decodeValue } from '../tables/format/index.js';
import { isEmptyPartition, scanStaged } from './staging.js';
import type { KvStore } from '@srv/kernel';
import type { CommittedStore } from '../tables/contract.js';
import type { KeyDifference, Repository } from './contract.js';
import type { StagedRow } from './staging.js';

export interface UncommittedSources {
  readonly kv: KvStore;
  readonly committed: CommittedStore;
}

/**
 * Pages of real differences: rows that repeat the committed record, and tombstones of keys never committed, are left out.
 * @param start first key of interest.
 */
export async function* uncommittedDiff(
  repository: Repository,
  tokens: readonly string[],
  metarangeId: string,
  { kv, committed }: UncommittedSources,
  start?: Buffer,
): AsyncGenerator<KeyDifference[]> {
  const differenceOf = async ({ key, value }: StagedRow): Promise<KeyDifference | undefined> => {
    const base = await committed.get(namespaceOf(repository), metarangeId, key);
    const left = base && decodeValue(base);
    if (left === undefined) return value && { type: 'added', key, right: value };
    if (value === undefined) return { type: 'removed', key, left };
    return left.identity.equals(value.identity) ? undefined : { type: 'changed', key, left, right: value };
  };
  for await (const rows of scanStaged(kv, tokens, start)) {
    const found = (await Promise.all(rows.map(differenceOf))).filter(d => d !== undefined);
    if (found.length > 0) yield found;
  }
}

/** `empty`: no row at all; `clean`: rows, but no difference; `dirty`: differences. */
type StagingState = 'empty' | 'clean' | 'dirty';

export async function stagingState(
  repository: Repository,
  tokens: readonly string[],
  metarangeId: string,
  sources: UncommittedSources,
): Promise<StagingState> {
  const empty = await Promise.all(tokens.map(token => isEmptyPartition(sources.kv, token)));
  const filled = tokens.filter((_, i) => !empty[i]);
  if (filled.length === 0) return 'empty';
  for await (const _ of uncommittedDiff(repository, filled, metarangeId, sources)) return 'dirty';
  return 'clean';
}
