/** A key-value store in memory. */
import { absent, present } from '@srv/kernel';
import type { Condition, KvEntry, KvStore, KvValue, ScanOptions } from '@srv/kernel';

export class MemoryKv implements KvStore {
  readonly type: string;
  readonly #partitions = new Map<string, Map<string, Buffer>>();

  constructor(type = 'local') {
    this.type = type;
  }

  #partition(name: string): Map<string, Buffer> {
    const found = this.#partitions.get(name) ?? new Map<string, Buffer>();
    this.#partitions.set(name, found);
    return found;
  }

  async get(partition: string, key: Buffer): Promise<KvValue | undefined> {
    const value = this.#partition(partition).get(key.toString('hex'));
    return value && { value, predicate: { kvPredicate: value.toString('hex') } };
  }

  async set(partition: string, key: Buffer, value: Buffer): Promise<void> {
    this.#partition(partition).set(key.toString('hex'), value);
  }

  async setIf(partition: string, key: Buffer, value: Buffer, condition: Condition): Promise<boolean> {
    const current = this.#partition(partition).get(key.toString('hex'));
    const holds =
      condition === absent
        ? current === undefined
        : condition === present
          ? current !== undefined
          : current?.toString('hex') === condition.kvPredicate;
    if (holds) await this.set(partition, key, value);
    return holds;
  }

  async delete(partition: string, key: Buffer): Promise<void> {
    this.#partition(partition).delete(key.toString('hex'));
  }

  async *scan(partition: string, { start = Buffer.alloc(0) }: ScanOptions = {}): AsyncGenerator<readonly KvEntry[]> {
    const keys = [...this.#partition(partition).keys()].filter(key => Buffer.compare(Buffer.from(key, 'hex'), start) >= 0).sort();
    for (const key of keys) {
      const value = this.#partition(partition).get(key);
      if (value) yield [{ key: Buffer.from(key, 'hex'), value }];
    }
  }

  async close(): Promise<void> {}
}
