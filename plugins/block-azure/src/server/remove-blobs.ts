/** Removals, many with one request. */
import { BlobBatch } from '@azure/storage-blob';
import { inParallel, removeEach, slicesOf } from '@srv/lib-stores/block';
import { isSrvError } from '@srv/kernel';
import type { ObjectPointer, RemovalFailure } from '@srv/lib-stores/block';
import type { Accounts } from './accounts.js';
import type { BlobAddress } from './blob-address.js';

export interface Removal {
  readonly pointer: ObjectPointer;
  readonly address: BlobAddress;
}

interface RemovalOptions {
  /** Removes a single object. */
  readonly one: (pointer: ObjectPointer) => Promise<void>;
  /** What a failed request means. */
  readonly failure: (error: unknown, removal: Removal) => Error;
  readonly signal: AbortSignal | undefined;
}

/** The limit of the service. */
const batchBlobs = 256;
const requestsAtOnce = 4;
const singlesAtOnce = 16;

/** @returns the objects that could not be removed. @throws SrvError `cancelled`. */
export async function removeBlobs(accounts: Accounts, removals: readonly Removal[], options: RemovalOptions): Promise<RemovalFailure[]> {
  const failures: RemovalFailure[] = [];
  await inParallel(slices(removals), requestsAtOnce, async slice => {
    const result = await removeSlice(accounts, slice, options);
    if (result !== 'unsupported') failures.push(...result);
    else {
      const pointers = slice.map(({ pointer }) => pointer);
      failures.push(...(await removeEach(pointers, options.one, { limit: singlesAtOnce, signal: options.signal })));
    }
  });
  return failures;
}

/** Requests go to one account each. */
function* slices(removals: readonly Removal[]): Generator<readonly Removal[]> {
  const accounts = new Map<string, Removal[]>();
  for (const removal of removals) {
    const items = accounts.get(removal.address.account) ?? [];
    if (items.push(removal) === 1) accounts.set(removal.address.account, items);
  }
  for (const items of accounts.values()) yield* slicesOf(items, batchBlobs);
}

async function removeSlice(
  accounts: Accounts,
  slice: readonly Removal[],
  { failure, signal }: RemovalOptions,
): Promise<RemovalFailure[] | 'unsupported'> {
  const [first] = slice;
  if (!first) return [];
  try {
    const batch = new BlobBatch();
    // Snapshots would keep their blob.
    for (const { address } of slice) await batch.deleteBlob(accounts.blob(address), { deleteSnapshots: 'include' });
    const client = accounts.service(first.address.account).getBlobBatchClient();
    const { subResponses } = await client.submitBatch(batch, signal ? { abortSignal: signal } : {});
    return slice.flatMap((removal, i) => {
      const { status, statusMessage, errorCode } = subResponses[i] ?? { status: 0, statusMessage: 'no answer for this object' };
      if ((status >= 200 && status < 300) || status === 404) return [];
      const named = Object.assign(new Error(statusMessage), { statusCode: status === 0 ? 500 : status, code: errorCode });
      return [{ pointer: removal.pointer, error: failure(named, removal) }];
    });
  } catch (error) {
    const found = failure(error, first);
    if (isSrvError(found, 'cancelled')) throw found;
    // Accounts of some kinds, and some stand-ins, do not know the request.
    if (!isSrvError(found, 'slow_down', 'unavailable', 'forbidden')) return 'unsupported';
    return slice.map(removal => ({ pointer: removal.pointer, error: failure(error, removal) }));
  }
}
