/** Pins of operations in progress, as a run uses them: the engine of every server makes them, whatever plugins it has. */
import { partitionOf } from '@srv/lib-records';
import type { Repository } from '@srv/engine/contract';
import type { StoredPin } from '@srv/engine/refs/pins';
import type { KvStore } from '@srv/kernel';

export { pinsOf, writePins } from '@srv/engine/refs/pins';
export type { StoredPin } from '@srv/engine/refs/pins';

/** Milliseconds after which the operation of a pin counts as ended. */
const life = 7 * 86_400_000;

/** Removes the pins whose operations are over, at the end of a run. */
export async function sweepPins(kv: KvStore, repository: Repository, seen: readonly StoredPin[]): Promise<void> {
  for (const { key, released, at } of seen) if (released || Date.now() - at > life) await kv.delete(partitionOf(repository), key);
}
