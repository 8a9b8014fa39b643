/**
 * Copying and moving everything below a prefix within a repository, by metadata alone: the new paths name the same stored
 * objects. README.md says why garbage collection cannot remove an object in between.
 */

import { setImmediate } from 'node:timers/promises';
import { SrvError } from '@srv/kernel';
import { pathKey } from '@srv/lib-records';
import { decodeEntry } from './entry-record.js';
import { demandBytes } from './present-bytes.js';
import type { KeyedValue, Repository } from '../refs/contract.js';
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
    if (confirm) for (const { key, copy } of pairs) await confirm(key.toString('utf8'), copy.toString('utf8'));
    const entries = batch.map(({ key, value }) => ({ path: key.toString('utf8'), ...decodeEntry(value.data) }));
    await refs.withPins(repository, { addresses: entries.map(({ address }) => address) }, async () => {
      if (!isBranch) await demandBytes(block, repository, entries);
      await Promise.all(pairs.map(({ copy, value }) => refs.set(repository, branch, copy, value, { force })));
      await Promise.all(pairs.map(pair => demandUnchanged(repository, { branch, ref }, pair, refs, force)));
      if (move)
        await refs.delete(
          repository,
          branch,
          batch.map(({ key }) => key),
          { force },
        );
    });
    objects += batch.length;
    await setImmediate();
  }
  if (objects === 0)
    throw new SrvError('not_found', `${exact ? '' : 'prefix '}${JSON.stringify(from)} at ${within ? 'branch ' : ''}${ref}: not found`);
  return { objects };
}

/** The source must still show the object after the copy was staged: then it was never without a reference. */
async function demandUnchanged(
  repository: Repository,
  { branch, ref }: { readonly branch: string; readonly ref: string },
  { key, value, copy }: { key: Buffer; value: KeyedValue['value']; copy: Buffer },
  refs: Refs,
  force: boolean,
): Promise<void> {
  const now = await refs.get(repository, ref, key);
  if (now?.data.equals(value.data)) return;
  await refs.delete(repository, branch, [copy], { force });
  throw new SrvError('conflict', `${key.toString('utf8')} was changed while it was copied; repeat the operation`, {
    details: { path: key.toString('utf8') },
  });
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
