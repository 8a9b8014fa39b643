/**
 * Metadata files that nothing names are set aside for some days before they are removed. Files are named by their content:
 * an operation may find one that is there already, just when it is removed, and name it a moment later. Reads find files
 * that were set aside, and those that are named again go back to their place.
 */

import { setAsideFolder } from '@srv/engine/contract';
import { partitionOf } from '@srv/lib-records';
import { identifierType, inParallel, namespaceOf, slicesOf } from '@srv/lib-stores/block';
import { inNamespace } from '../prepare/places.js';
import type { Repository } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { ObjectPointer } from '@srv/lib-stores/block';
import type { Lease } from '../run/lease.js';
import type { MetadataReferences, MetadataSources } from './references.js';

interface SetAsideRequest {
  readonly repository: Repository;
  readonly folder: string;
  readonly lease: Lease;
  readonly signal: AbortSignal;
}

const batchFiles = 200;
const copiesAtOnce = 8;
const markKey = Buffer.from('gc/set-aside');

/** Whether files of a repository are set aside, and since when the last ones: milliseconds since 1970. */
export async function lastSetAside(kv: KvStore, repository: Repository): Promise<number | undefined> {
  const found = await kv.get(partitionOf(repository), markKey);
  return found && (JSON.parse(found.value.toString('utf8')) as { readonly at: number }).at;
}

/** Sets aside the files that nothing names. @returns how many. */
export async function setAsideUnreferenced(
  request: SetAsideRequest,
  references: MetadataReferences,
  sources: MetadataSources,
): Promise<number> {
  const { repository, lease } = request;
  let count = 0;
  for (const batch of slicesOf(references.unreferenced(), batchFiles)) {
    await lease.inBatch(async () => {
      await sources.kv.set(partitionOf(repository), markKey, Buffer.from(JSON.stringify({ at: Date.now() })));
      await references.refresh();
      const ids = batch.map(({ id }) => id).filter(id => !references.has(id));
      await move(request, ids, sources);
      count += ids.length;
    });
  }
  return count;
}

interface Tended {
  readonly restored: number;
  readonly removed: number;
}

/**
 * Puts files that are named again back to their place, and removes those that have been set aside for long enough.
 * @param before milliseconds since 1970: files set aside earlier go.
 */
export async function tendSetAside(
  request: SetAsideRequest,
  references: MetadataReferences,
  before: number,
  sources: MetadataSources,
): Promise<Tended> {
  const { repository, folder, lease } = request;
  const { block, kv } = sources;
  const named = [...references.aside.keys()].filter(id => references.has(id));
  for (const id of named) {
    lease.check();
    const pointer = inNamespace(repository, `${folder}/${id}`);
    if (!(await block.exists(pointer))) await block.copy(asidePointer(repository, folder, id), pointer);
    await block.remove(asidePointer(repository, folder, id));
  }
  let removed = 0;
  const old = [...references.aside.values()].filter(({ id, modified }) => modified < before && !references.has(id));
  for (const batch of slicesOf(old, batchFiles)) {
    await lease.inBatch(async () => {
      await references.refresh();
      const gone = batch.filter(({ id }) => !references.has(id));
      lease.check();
      await removeAll(
        gone.map(({ id }) => asidePointer(repository, folder, id)),
        request,
        sources,
      );
      removed += gone.length;
    });
  }
  if (references.aside.size === named.length + removed) await kv.delete(partitionOf(repository), markKey);
  return { restored: named.length, removed };
}

/** The copy comes first: a file is always at one of its places. */
async function move(
  { repository, folder, lease, signal }: SetAsideRequest,
  ids: readonly string[],
  sources: MetadataSources,
): Promise<void> {
  await inParallel(ids, copiesAtOnce, async id => {
    lease.check();
    await sources.block.copy(inNamespace(repository, `${folder}/${id}`), asidePointer(repository, folder, id), signal);
  });
  lease.check();
  await removeAll(
    ids.map(id => inNamespace(repository, `${folder}/${id}`)),
    { signal },
    sources,
  );
}

async function removeAll(
  pointers: readonly ObjectPointer[],
  { signal }: Pick<SetAsideRequest, 'signal'>,
  { block }: MetadataSources,
): Promise<void> {
  const [failure] = await block.removeAll(pointers, { signal });
  if (failure) throw failure.error;
}

function asidePointer(repository: Repository, folder: string, id: string): ObjectPointer {
  return { namespace: namespaceOf(repository), identifier: `${folder}/${setAsideFolder}/${id}`, identifierType: identifierType.relative };
}
