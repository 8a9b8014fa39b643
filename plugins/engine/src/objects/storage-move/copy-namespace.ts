/** Copies everything in a storage namespace to another one, by comparing their listings. */
import { setMaxListeners } from 'node:events';
import { SrvError, isSrvError, throwIfAborted } from '@srv/kernel';
import { compareBytes } from '@srv/lib-records';
import { identifierType, inParallel, walkUri } from '@srv/lib-stores/block';
import type { BlockStore, ObjectPointer, WalkedObject } from '@srv/lib-stores/block';

/** Objects copied at a time. */
const parallel = 8;
/** Milliseconds by which the clocks of two stores may differ. */
const clockSkew = 3_600_000;

export interface CopyRequest {
  readonly block: BlockStore;
  /** As `namespaceOf` spells them. */
  readonly from: string;
  readonly to: string;
  readonly signal: AbortSignal;
  /** Whether what the target has is the object. */
  readonly isThere: (object: WalkedObject, present: WalkedObject) => boolean;
  /** Called after each comparison, and after each copy with its bytes. */
  readonly onProgress: (copied?: number) => Promise<void> | undefined;
}

/** Of the same size. */
export const hasSize: CopyRequest['isThere'] = (object, present) => object.size === present.size;

/** Of the same size, and not written since `start` if it is of those that change. */
export function isUnchangedSince(start: Date): CopyRequest['isThere'] {
  return (object, present) =>
    hasSize(object, present) && (neverChanges(object.relativeKey) || object.lastModified.getTime() < start.getTime() - clockSkew);
}

/** Objects of branches have addresses of their own, and tables are named by their content. */
function neverChanges(key: string): boolean {
  const name = key.slice(key.lastIndexOf('/') + 1);
  return key.startsWith('data/') || /^[0-9a-f]{64}$/.test(name);
}

/**
 * When it returns, the target had each object that the source listed, in the size that it has there.
 * @throws SrvError `corrupt` when a copy has another size than its source.
 */
export async function copyNamespace(request: CopyRequest): Promise<void> {
  const { block, from, to, onProgress } = request;
  const failed = new AbortController();
  const signal = AbortSignal.any([request.signal, failed.signal]);
  // Each copy listens several times.
  setMaxListeners(0, signal);
  const copy = async ({ relativeKey, size }: WalkedObject): Promise<void> => {
    const [source, target] = [at(from, relativeKey), at(to, relativeKey)];
    try {
      await block.copy(source, target, signal);
    } catch (error) {
      // Removed since it was listed; the collector is not one of those who do, since everything is pinned.
      if (isSrvError(error, 'no_data') && !(await block.exists(source))) return;
      throw error;
    }
    const copied = await block.properties(target);
    if (copied.size !== size && copied.size !== (await block.properties(source)).size)
      throw new SrvError('corrupt', `${block.resolve(target)} has ${copied.size} bytes, its source ${size}; move again`);
    await onProgress(size);
  };
  await inParallel(differences(request, signal), parallel, copy, failed);
}

/** What the source has and the target lacks, by two listings in the same order. */
async function* differences({ block, from, to, isThere, onProgress }: CopyRequest, signal: AbortSignal): AsyncGenerator<WalkedObject> {
  const there = listed(block, to, signal);
  try {
    let other = await there.next();
    for await (const object of listed(block, from, signal)) {
      throwIfAborted(signal);
      while (!other.done && compareBytes(other.value.relativeKey, object.relativeKey) < 0) other = await there.next();
      const present = !other.done && other.value.relativeKey === object.relativeKey ? other.value : undefined;
      await onProgress();
      if (present === undefined || !isThere(object, present)) yield object;
    }
  } finally {
    await there.return(undefined);
  }
}

async function* listed(block: BlockStore, namespace: string, signal: AbortSignal): AsyncGenerator<WalkedObject, undefined> {
  try {
    for await (const page of block.walk(walkUri(block, namespace, ''), { etags: false, signal })) yield* page;
  } catch (error) {
    // A folder without anything in it.
    if (!isSrvError(error, 'not_found', 'no_data')) throw error;
  }
  return undefined;
}

export function at(namespace: string, identifier: string): ObjectPointer {
  return { namespace, identifier, identifierType: identifierType.relative };
}
