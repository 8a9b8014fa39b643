/** Removals one request each, a bounded number at a time, for backends without a request for many. */
import { SrvError, isSrvError, throwIfAborted } from '@srv/kernel';
import { inParallel } from '../async/in-parallel.js';
import type { ObjectPointer, RemovalFailure } from './contract.js';

export interface RemoveEachOptions {
  /** Removals at a time. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/** @returns the pointers that failed. @throws SrvError `cancelled` when aborted. */
export async function removeEach(
  pointers: readonly ObjectPointer[],
  remove: (pointer: ObjectPointer) => Promise<void>,
  { limit, signal }: RemoveEachOptions,
): Promise<RemovalFailure[]> {
  const failures: RemovalFailure[] = [];
  await inParallel(pointers, limit, async pointer => {
    throwIfAborted(signal);
    try {
      await remove(pointer);
    } catch (error) {
      if (isSrvError(error, 'cancelled', 'closed')) throw error;
      failures.push({ pointer, error: asError(error) });
    }
  });
  throwIfAborted(signal);
  return failures;
}

/** What was thrown, as an error. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new SrvError('internal', String(error));
}

/** Parts of a list, each of this many items at most. */
export function* slicesOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
