/** A database in memory that does something else first, when a record is written or removed: races in a chosen order. */
import { MemoryKvStore } from '@srv/kernel/testing';
import type { Condition } from '@srv/kernel';

export class InterleavedStore extends MemoryKvStore {
  #waiting: { readonly action: 'write' | 'delete'; readonly key: string; readonly work: () => Promise<unknown> } | undefined;

  /** Once, before the next `action` on a key that begins with `key`. */
  before(action: 'write' | 'delete', key: string, work: () => Promise<unknown>): void {
    this.#waiting = { action, key, work };
  }

  override async setIf(partition: string, key: Buffer, value: Buffer, condition: Condition, signal?: AbortSignal): Promise<boolean> {
    await this.#interleave('write', key);
    return super.setIf(partition, key, value, condition, signal);
  }

  override async set(partition: string, key: Buffer, value: Buffer, signal?: AbortSignal): Promise<void> {
    await this.#interleave('write', key);
    return super.set(partition, key, value, signal);
  }

  override async delete(partition: string, key: Buffer, signal?: AbortSignal): Promise<void> {
    await this.#interleave('delete', key);
    return super.delete(partition, key, signal);
  }

  async #interleave(action: 'write' | 'delete', key: Buffer): Promise<void> {
    const waiting = this.#waiting;
    if (waiting?.action !== action || !key.toString('utf8').startsWith(waiting.key)) return;
    this.#waiting = undefined;
    await waiting.work();
  }
}
