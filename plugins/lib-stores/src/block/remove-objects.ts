/** Removals of many objects: many with one request where the backend has such a request, else one by one. */
import { isSrvError } from '@srv/kernel';
import { inParallel } from '../async/in-parallel.js';
import { asError, removeEach, slicesOf } from './remove-each.js';
import type { ObjectPointer, RemovalFailure } from './contract.js';
import type { BatchRemoval, BlockDriver, BlockPlace } from './driver.js';

export interface Removal<Place> {
  readonly pointer: ObjectPointer;
  readonly place: Place;
}

interface RemovalOptions {
  /** Removes a single object. */
  readonly one: (pointer: ObjectPointer) => Promise<void>;
  readonly signal: AbortSignal | undefined;
}

const batchesAtOnce = 4;

/** @returns the objects that could not be removed. @throws SrvError `cancelled`. */
export async function removeObjects<Place extends BlockPlace, Prefix extends BlockPlace>(
  driver: BlockDriver<Place, Prefix>,
  removals: readonly Removal<Place>[],
  { one, signal }: RemovalOptions,
): Promise<RemovalFailure[]> {
  const singly = (items: readonly Removal<Place>[]): Promise<RemovalFailure[]> => {
    const pointers = items.map(({ pointer }) => pointer);
    return removeEach(pointers, one, { limit: driver.removalsAtOnce, signal });
  };
  const batch = driver.batchRemoval;
  if (!batch) return singly(removals);
  const failures: RemovalFailure[] = [];
  const explain = (error: unknown, { place }: Removal<Place>): Error => asError(driver.explain?.(error, place, { signal }) ?? error);
  await inParallel(slices(batch, removals), batchesAtOnce, async ([first, ...others]) => {
    const slice = [first, ...others];
    try {
      const remaining = await batch.remove(
        slice.map(({ place }) => place),
        signal,
      );
      for (const removal of slice) {
        const error = remaining.get(removal.place);
        if (error !== undefined) failures.push({ pointer: removal.pointer, error: explain(error, removal) });
      }
    } catch (error) {
      const found = explain(error, first);
      if (isSrvError(found, 'cancelled')) throw found;
      if (batch.isUnsupported(found)) failures.push(...(await singly(slice)));
      else failures.push(...slice.map(removal => ({ pointer: removal.pointer, error: explain(error, removal) })));
    }
  });
  failures.push(...(await singly(removals.filter(({ place }) => batch.fits?.(place) === false))));
  return failures;
}

type Slice<Place> = readonly [Removal<Place>, ...Removal<Place>[]];

function* slices<Place>({ limit, groupOf, fits }: BatchRemoval<Place>, removals: readonly Removal<Place>[]): Generator<Slice<Place>> {
  const groups = new Map<string, Removal<Place>[]>();
  for (const removal of removals) {
    if (fits?.(removal.place) === false) continue;
    const group = groupOf(removal.place);
    const items = groups.get(group) ?? [];
    if (items.push(removal) === 1) groups.set(group, items);
  }
  for (const items of groups.values()) {
    for (const [first, ...others] of slicesOf(items, limit)) if (first) yield [first, ...others];
  }
}
