/**
 * Repositories that are not being collected, remembered if this program alone uses the database: only a lease of its own can
 * change that. Every new branch and every merge asks, twice.
 */
import type { KvStore } from '@srv/kernel';

/** With more, everything is forgotten. @bound repositories known not to be collected */
const rememberedFree = 10_000;

class FreeLeases {
  readonly #partitions = new Set<string>();
  /** Counts leases taken, for looks that began before. */
  #taken = 0;

  /** @param isFree looks at the database. */
  async has(partition: string, isFree: () => Promise<boolean>): Promise<boolean> {
    if (this.#partitions.has(partition)) return true;
    const before = this.#taken;
    const free = await isFree();
    if (this.#partitions.size >= rememberedFree) this.#partitions.clear();
    if (free && this.#taken === before) this.#partitions.add(partition);
    return free;
  }

  /** After a lease was written, before its holder looks at anything. */
  forget(partition: string): void {
    this.#taken++;
    this.#partitions.delete(partition);
  }
}

const memory = new WeakMap<KvStore, FreeLeases>();

export function freeLeasesOf(kv: KvStore): FreeLeases {
  const known = memory.get(kv) ?? new FreeLeases();
  memory.set(kv, known);
  return known;
}
