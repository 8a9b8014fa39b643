/** Removals, many with one request. */
import { DeleteObjectsCommand } from '@aws-sdk/client-s3';
import { inParallel, removeEach, slicesOf } from '@srv/lib-stores/block';
import { isSrvError } from '@srv/kernel';
import { abortable } from './abortable.js';
import type { ObjectPointer, RemovalFailure } from '@srv/lib-stores/block';
import type { ObjectLocation } from './object-location.js';

export interface Removal {
  readonly pointer: ObjectPointer;
  readonly place: ObjectLocation;
}

interface RemovalOptions {
  /** Objects of one request. */
  readonly limit: number;
  /** Removes a single object. */
  readonly one: (pointer: ObjectPointer) => Promise<void>;
  /** What a failed request means. */
  readonly failure: (error: unknown, place: ObjectLocation) => Error;
  readonly signal: AbortSignal | undefined;
}

const requestsAtOnce = 4;
const singlesAtOnce = 32;
/** Codes of the answer for one key that mean it is gone. */
const gone = new Set(['NoSuchKey', 'NoSuchVersion']);

/** @returns the objects that could not be removed. @throws SrvError `cancelled`. */
export async function removeObjects(removals: readonly Removal[], options: RemovalOptions): Promise<RemovalFailure[]> {
  const failures: RemovalFailure[] = [];
  const singly = async (items: readonly Removal[]): Promise<void> => {
    const pointers = items.map(({ pointer }) => pointer);
    failures.push(...(await removeEach(pointers, options.one, { limit: singlesAtOnce, signal: options.signal })));
  };
  const failed = new AbortController();
  await inParallel(
    slices(removals, options.limit),
    requestsAtOnce,
    async slice => {
      const result = await removeSlice(slice, options);
      if (result === 'unsupported') await singly(slice);
      else failures.push(...result);
    },
    failed,
  );
  await singly(removals.filter(({ place }) => !fitsXml(place.key)));
  return failures;
}

/** Requests go to one bucket each. */
function* slices(removals: readonly Removal[], limit: number): Generator<readonly Removal[]> {
  const buckets = new Map<string, Removal[]>();
  for (const removal of removals) {
    const { bucket, key } = removal.place;
    if (!fitsXml(key)) continue;
    const items = buckets.get(bucket) ?? [];
    if (items.push(removal) === 1) buckets.set(bucket, items);
  }
  for (const items of buckets.values()) yield* slicesOf(items, limit);
}

async function removeSlice(slice: readonly Removal[], { failure, signal }: RemovalOptions): Promise<RemovalFailure[] | 'unsupported'> {
  const [first] = slice;
  if (!first) return [];
  const { client, bucket } = first.place;
  const byKey = new Map(slice.map(removal => [removal.place.key, removal]));
  try {
    const answer = await client.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Quiet: true, Objects: [...byKey.keys()].map(Key => ({ Key })) } }),
      abortable(signal),
    );
    return (answer.Errors ?? []).flatMap(({ Key = '', Code = '', Message = '' }) => {
      const removal = byKey.get(Key);
      if (!removal || gone.has(Code)) return [];
      const named = Object.assign(new Error(Message), { name: Code, $metadata: {} });
      return [{ pointer: removal.pointer, error: failure(named, removal.place) }];
    });
  } catch (error) {
    const found = failure(error, first.place);
    if (isSrvError(found, 'cancelled')) throw found;
    // Some stores and proxies know the request not at all, or want other checksums with it.
    if (isSrvError(found, 'unsupported', 'invalid', 'no_data')) return 'unsupported';
    return slice.map(({ pointer, place }) => ({ pointer, error: failure(error, place) }));
  }
}

/** Keys lie in the body of the request, and XML cannot hold every character. */
function fitsXml(key: string): boolean {
  return !/[\p{Cc}\p{Cs}\ufffe\uffff]/u.test(key);
}
