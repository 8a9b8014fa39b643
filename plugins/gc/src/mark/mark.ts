/** Finds the garbage of a repository. Everything it needs to know must be known whole, else the run ends here. */
import { join } from 'node:path';
import { SrvError } from '@srv/kernel';
import { namespaceOf } from '@srv/lib-stores/block';
import { inNamespace } from '../prepare/places.js';
import { makePrivateFolder } from '../private-folder.js';
import { foreignNames } from './foreign.js';
import { findGarbage } from './garbage.js';
import { KeepSet } from './keep-set.js';
import { listObjects } from './listing.js';
import { ListingMemory } from './listing-memory.js';
import { refuseOverlap } from './overlap.js';
import { commitIds, keepPinned, keptCommits } from './references.js';
import type { GcPlan } from '../collection.js';
import type { Rules } from '../rules/rules.js';
import type { StoredPin } from '../run/pins.js';
import type { MarkContext, MarkRequest } from './context.js';
import type { GarbageFound } from './garbage.js';

export interface Kept {
  readonly keep: KeepSet;
  readonly rules: Rules | undefined;
  readonly commits: number;
  /** Pins that were there when it was found out. */
  readonly pins: readonly StoredPin[];
}

export interface Marked extends Kept, Omit<GarbageFound, 'parts'> {
  /** File of the garbage, in order of keys. */
  readonly path: string;
  /** First folder below the data folder. */
  readonly firstSlice: string;
}

/** Milliseconds the clocks of this machine and of the store may differ. */
const clockMargin = 1_800_000;
const probe = 'retention/gc/clock';

/**
 * Lists first, then finds out what stays: an object that is listed was there before, so whatever refers to it by then, or
 * is announced, is seen.
 */
export async function mark(request: MarkRequest, context: MarkContext, note: (listed: number) => void): Promise<Marked> {
  const { repository, folder, signal, cutoff } = request;
  await makePrivateFolder(folder);
  await checkStore(request, context);
  const before = await commitIds(context.kv, repository);
  const memory = await ListingMemory.open(join(context.cacheDir, repository.instanceUid, 'listing'));
  const { block } = context;
  const { parts, strange, firstSlice } = await listObjects({ block, repository, folder, memory, signal, note });
  const kept = await findKept(request, context, before);
  try {
    const path = join(folder, 'garbage');
    const found = await findGarbage(parts, { block, repository, keep: kept.keep, cutoff: cutoff.getTime(), path, signal });
    await memory.save(found.parts);
    return { ...kept, ...found, listed: found.listed + strange, firstSlice, path };
  } catch (error) {
    kept.keep.close();
    throw error;
  }
}

/** What stays now; for a sweep that comes later than its mark. @param before commits there were when the run began. */
export async function findKept(request: MarkRequest, context: MarkContext, before?: ReadonlySet<string>): Promise<Kept> {
  const { repository, folder, signal, now } = request;
  await makePrivateFolder(folder);
  const known = before ?? (await commitIds(context.kv, repository));
  const rules = await context.rules.find(repository);
  const keep = new KeepSet(repository, folder, signal, context);
  try {
    const plan: GcPlan = {
      repository: repository.id,
      storageNamespace: repository.storageNamespace,
      storageId: repository.storageId,
      runId: request.runId,
      cutoff: request.cutoff,
      signal,
      keep: texts => keep.keep(texts),
    };
    await context.hooks.gcPlan.promise(plan);
    const { metaranges, commits } = await keptCommits({ repository, rules, now, before: known }, context);
    const { files } = await foreignNames(request, context, addresses => keep.keep(addresses));
    await keep.build(metaranges, files);
    const pins = await keepPinned(repository, keep, context);
    return { keep, rules, commits, pins };
  } catch (error) {
    keep.close();
    throw error;
  }
}

/** @throws SrvError `conflict` when the namespace is not this repository's alone, or the store's clock is far from ours. */
async function checkStore({ repository }: MarkRequest, { block, committed, engine }: MarkContext): Promise<void> {
  await refuseOverlap(block, repository, engine.repositories(''));
  const pointer = inNamespace(repository, `${await committed.folderOf(namespaceOf(repository))}/${probe}`);
  await block.put(pointer, Buffer.from(new Date().toISOString()));
  const { lastModified } = await block.properties(pointer);
  if (Math.abs(lastModified.getTime() - Date.now()) > clockMargin)
    throw new SrvError(
      'conflict',
      `the clock of the block store says ${lastModified.toISOString()}, that of this server ${new Date().toISOString()}; set them right before anything is judged by its age`,
    );
}
