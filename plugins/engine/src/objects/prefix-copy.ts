/**
 * Copying and moving everything below a prefix within a repository, by metadata alone: the new paths name the same stored
 * objects. README.md says why garbage collection cannot remove an object in between.
 */

import { setImmediate } from 'node:timers/promises';
import { SrvError, isSrvError } from '@srv/kernel';
import { pathKey } from '@srv/lib-records';
import { decodeEntry } from './entry-record.js';
import { demandBytes } from './present-bytes.js';
import type { KeyedValue, Repository, StoredValue } from '../refs/contract.js';
import type { Refs } from '../refs/service.js';
import type { PrefixCopyRequest, PrefixCopyResult } from './contract.js';
import type { ObjectStores } from './object-reads.js';

const batchSize = 256;

export async function copyPrefix(
  repository: Repository,
  branch: string,
  { from, to, exact = false, source: ref = branch, move = false, force = false, confirm, signal }: PrefixCopyRequest,
  { refs, block }: ObjectStores,
): Promise<PrefixCopyResult> {
  const within = ref === branch;
  if (move && !within) throw new SrvError('invalid', `only what is on branch ${branch} itself can be moved there; copy from ${ref}`);
  if (within && from === to) throw new SrvError('invalid', `source and destination prefix are the same: ${JSON.stringify(from)}`);
  if (within && !exact && to.startsWith(from))
    throw new SrvError('invalid', `the destination ${JSON.stringify(to)} lies below the source ${JSON.stringify(from)}`);
  await refs.checkBranchWrite(repository, branch, { force });
  const isBranch = within || (await refs.resolve(repository, ref)).kind === 'branch';
  const [source, target] = [Buffer.from(from, 'utf8'), Buffer.from(to, 'utf8')];
  let objects = 0;
  for await (const batch of below(repository, ref, source, { refs, exact })) {
    if (signal?.aborted) throw new SrvError('cancelled', 'the request was cancelled');
    const pairs = batch.map(({ key, value }) => ({
      key,
      value,
      copy: pathKey(Buffer.concat([target, key.subarray(source.length)]).toString('utf8')),
    }));
    if (within && !exact) demandApart(pairs, source);
    if (confirm) for (const { key, copy } of pairs) await confirm(key.toString('utf8'), copy.toString('utf8'));
    await copyBatch(pairs, { repository, branch, ref, isBranch, move, force }, { refs, block });
    objects += batch.length;
    await setImmediate();
  }
  if (objects === 0)
    throw new SrvError('not_found', `${exact ? '' : 'prefix '}${JSON.stringify(from)} at ${within ? 'branch ' : ''}${ref}: not found`);
  return { objects };
}

interface Pair {
  readonly key: Buffer;
  readonly value: StoredValue;
  /** The key of the copy. */
  readonly copy: Buffer;
}

interface BatchCopy {
  readonly repository: Repository;
  readonly branch: string;
  /** Of the source. */
  readonly ref: string;
  readonly isBranch: boolean;
  readonly move: boolean;
  readonly force: boolean;
}

/**
 * The source must still show each object after its copy was staged: then it was never without a reference. Copies of others are
 * taken back.
 */
async function copyBatch(pairs: readonly Pair[], batch: BatchCopy, { refs, block }: ObjectStores): Promise<void> {
  const { repository, branch, ref, force } = batch;
  const earlier = await Promise.all(pairs.map(({ copy }) => refs.get(repository, branch, copy)));
  const entries = pairs.map(({ key, value }) => ({ path: key.toString('utf8'), ...decodeEntry(value.data) }));
  const addresses = [...entries, ...earlier.flatMap(value => (value ? [decodeEntry(value.data)] : []))].map(({ address }) => address);
  await refs.withPins(repository, { addresses }, async () => {
    if (!batch.isBranch) await demandBytes(block, repository, entries);
    // Waited for to the last one: each that was staged is compared while it is pinned.
    const staged = await Promise.allSettled(pairs.map(({ copy, value }) => refs.set(repository, branch, copy, value, { force })));
    const failure = staged.find(result => result.status === 'rejected');
    const shown = await Promise.all(pairs.map(({ key }) => refs.get(repository, ref, key)));
    const isChanged = pairs.map(({ value }, i) => !isSame(shown[i], value));
    if (batch.move && !failure && !isChanged.includes(true)) {
      const deletions = pairs.map(({ key, value }) => ({ key, condition: (now: StoredValue) => isSame(now, value) }));
      const refusals = await refs.deleteEachIf(repository, branch, deletions, { force });
      for (const [i, refusal] of refusals.entries()) isChanged[i] = refusal !== undefined;
    }
    const changed = pairs.flatMap((pair, i) => (isChanged[i] ? [{ ...pair, before: earlier[i] }] : []));
    const takenBack = await Promise.allSettled(changed.map(pair => takeBack(pair, batch, refs)));
    for (const result of [failure, ...takenBack]) if (result?.status === 'rejected') throw result.reason;
    const [first] = changed;
    if (!first) return;
    const path = first.key.toString('utf8');
    throw new SrvError('conflict', `${path} was changed while it was copied; repeat the operation`, { details: { path } });
  });
}

/** Of `a/b/`, copied to `a/`, the copy of `a/b/b/x` would lie at `a/b/x`, where a source may be. */
function demandApart(pairs: readonly Pair[], source: Buffer): void {
  const pair = pairs.find(({ copy }) => copy.subarray(0, source.length).equals(source));
  if (!pair) return;
  const [from, to] = [pair.key, pair.copy].map(key => JSON.stringify(key.toString('utf8')));
  throw new SrvError('invalid', `the copy of ${from} would be ${to}, below the source; copy or move it elsewhere first`);
}

/** The destination shows again what it had before, unless it shows something else than the copy by now. */
async function takeBack(
  { copy, value, before }: Pair & { readonly before: StoredValue | undefined },
  { repository, branch, force }: BatchCopy,
  refs: Refs,
): Promise<void> {
  const isCopy = (now: StoredValue | undefined): boolean => isSame(now, value);
  try {
    if (before) await refs.set(repository, branch, copy, before, { force, condition: isCopy });
    else await refs.deleteIf(repository, branch, copy, isCopy, { force });
  } catch (error) {
    if (!isSrvError(error, 'precondition_failed', 'not_found')) throw error;
  }
}

function isSame(a: StoredValue | undefined, b: StoredValue): boolean {
  return a?.data.equals(b.data) === true;
}

async function* below(
  repository: Repository,
  ref: string,
  prefix: Buffer,
  { refs, exact }: { readonly refs: Refs; readonly exact: boolean },
): AsyncGenerator<KeyedValue[]> {
  const view = await refs.view(repository, ref);
  try {
    let batch: KeyedValue[] = [];
    for (await view.seek(prefix); view.current?.key.subarray(0, prefix.length).equals(prefix); await view.next()) {
      if (exact && view.current.key.length > prefix.length) break;
      batch.push(view.current);
      if (batch.length < batchSize) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  } finally {
    view.close();
  }
}
