/**
 * Pins: what operations under way are about to refer to again. A pin is written before the reference is published; the
 * sweeper reads all pins after it announced a batch and before it deletes it; an operation that finds a batch announced
 * waits for its end. So either the sweeper sees the pin, or the operation sees what the sweep has left.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { partitionOf } from '@srv/lib-names';
import type { KvStore } from '@srv/kernel';
import type { Repository, Revived } from '@srv/versioning/contract';
import { readLease, signOf } from './lease.js';
import type { LeaseTimes } from './lease.js';

interface Pin {
  readonly revived: Revived;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The reference is published; the run under way still needs to know. */
  readonly released: boolean;
}

export interface StoredPin extends Pin {
  readonly key: Buffer;
}

const prefix = Buffer.from('gc/pins/');
/** Milliseconds after which the operation of a pin is over, whatever became of it. */
const life = 7 * 86_400_000;

/** Every pin of a repository. */
export async function pinsOf(kv: KvStore, repository: Repository): Promise<StoredPin[]> {
  const found: StoredPin[] = [];
  for await (const page of kv.scan(partitionOf(repository), { start: prefix })) {
    for (const { key, value } of page) {
      if (!key.subarray(0, prefix.length).equals(prefix)) return found;
      found.push({ ...(JSON.parse(value.toString('utf8')) as Pin), key });
    }
  }
  return found;
}

/** Removes the pins whose operations are over, at the end of a run. */
export async function sweepPins(kv: KvStore, repository: Repository, seen: readonly StoredPin[]): Promise<void> {
  for (const { key, released, at } of seen) if (released || Date.now() - at > life) await kv.delete(partitionOf(repository), key);
}

/** Writes a pin and waits until no batch can be deleted that was checked without it. @returns what ends the pin. */
export async function pin(
  repository: Repository,
  revived: Revived,
  { kv, times }: { readonly kv: KvStore; readonly times: LeaseTimes },
): Promise<() => Promise<void>> {
  const partition = partitionOf(repository);
  const key = Buffer.from(`gc/pins/${randomUUID()}`);
  const value: Pin = { revived, at: Date.now(), released: false };
  await kv.set(partition, key, Buffer.from(JSON.stringify(value)));
  await batchEnd(repository, kv, times);
  return async () => {
    const { state } = await readLease(kv, repository);
    if (state.owner === '') await kv.delete(partition, key);
    else await kv.set(partition, key, Buffer.from(JSON.stringify({ ...value, released: true } satisfies Pin)));
  };
}

/** Returns when no batch is announced, another one is, or whoever announced it shows no sign of life. */
async function batchEnd(repository: Repository, kv: KvStore, { look, stale }: LeaseTimes): Promise<void> {
  const { state: first } = await readLease(kv, repository);
  let sign = signOf(first);
  let since = performance.now();
  for (let state = first; state.deleting && state.owner === first.owner && state.epoch === first.epoch; ) {
    if (signOf(state) !== sign) [sign, since] = [signOf(state), performance.now()];
    if (performance.now() - since > stale) return;
    await sleep(look);
    ({ state } = await readLease(kv, repository));
  }
}
