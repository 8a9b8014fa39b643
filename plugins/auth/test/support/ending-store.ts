/** A database in memory whose server ends at a chosen write: it and all later ones fail. */
import { MemoryKvStore } from '@srv/kernel/testing';
import type { Condition } from '@srv/kernel';

export class EndingStore extends MemoryKvStore {
  #left = Number.POSITIVE_INFINITY;

  /** @param writes that still succeed. */
  endAfter(writes: number): void {
    this.#left = writes;
  }

  /** For the next server. */
  restart(): void {
    this.#left = Number.POSITIVE_INFINITY;
  }

  override async setIf(partition: string, key: Buffer, value: Buffer, condition: Condition, signal?: AbortSignal): Promise<boolean> {
    this.#count();
    return super.setIf(partition, key, value, condition, signal);
  }

  override async set(partition: string, key: Buffer, value: Buffer, signal?: AbortSignal): Promise<void> {
    this.#count();
    return super.set(partition, key, value, signal);
  }

  override async delete(partition: string, key: Buffer, signal?: AbortSignal): Promise<void> {
    this.#count();
    return super.delete(partition, key, signal);
  }

  #count(): void {
    if (--this.#left < 0) throw new Error('the server has ended');
  }
}

interface Halfway {
  readonly kv: EndingStore;
  /** How many writes succeeded, for messages. */
  readonly after: string;
}

/** Has the server end at each write of `work` in turn, and calls `check` each time, before the next server starts. */
export async function endingAtEachWrite(
  work: (kv: EndingStore) => Promise<() => Promise<unknown>>,
  check: (halfway: Halfway) => Promise<void>,
) {
  for (let writes = 0, isDone = false; !isDone; writes++) {
    const kv = new EndingStore();
    const begin = await work(kv);
    kv.endAfter(writes);
    isDone = await begin().then(
      () => true,
      () => false,
    );
    kv.restart();
    await check({ kv, after: `after ${writes} writes` });
  }
}
