/** Key-value stores that make trouble: one that delays and reorders, one that dies after a number of writes. */
import { SrvError } from '@srv/kernel';
import type { Condition, KvEntry, KvRecord, KvStore, KvValue, ScanOptions } from '@srv/kernel';

/** Calls through to `inner`; `before` and `after` decide what happens around. */
abstract class WrappedKv implements KvStore {
  readonly type: string;
  readonly isShared: boolean;
  readonly isSharedWithPeers: boolean;
  protected readonly inner: KvStore;

  constructor(inner: KvStore) {
    this.inner = inner;
    this.type = inner.type;
    this.isShared = inner.isShared;
    this.isSharedWithPeers = inner.isSharedWithPeers === true;
  }

  protected abstract around<T>(kind: 'read' | 'write', work: () => Promise<T>): Promise<T>;

  get(partition: string, key: Buffer): Promise<KvValue | undefined> {
    return this.around('read', () => this.inner.get(partition, key));
  }
  set(partition: string, key: Buffer, value: Buffer): Promise<void> {
    return this.around('write', () => this.inner.set(partition, key, value));
  }
  setIf(partition: string, key: Buffer, value: Buffer, condition: Condition): Promise<boolean> {
    return this.around('write', () => this.inner.setIf(partition, key, value, condition));
  }
  /** One write, as of the store. */
  get setIfWith(): KvStore['setIfWith'] {
    const { inner } = this;
    return inner.setIfWith && ((record, condition, further) => this.setTogether(record, condition, further));
  }
  protected setTogether(record: KvRecord, condition: Condition, further: readonly KvRecord[]): Promise<boolean> {
    return this.around('write', async () => (await this.inner.setIfWith?.(record, condition, further)) ?? false);
  }
  delete(partition: string, key: Buffer): Promise<void> {
    return this.around('write', () => this.inner.delete(partition, key));
  }
  async *scan(partition: string, options?: ScanOptions): AsyncGenerator<readonly KvEntry[]> {
    // Small pages, so that writes fall between them.
    const pages = this.inner.scan(partition, { ...options, batchSize: 2 });
    for await (const page of pages) {
      for (let at = 0; at < page.length; at += 2) {
        const part = page.slice(at, at + 2);
        yield await this.around('read', () => Promise.resolve(part));
      }
    }
  }
  async close(): Promise<void> {}
}

/** Waits a random number of turns before and after each call, sometimes long, and sometimes loses a compare-and-set for no reason. */
export class ErraticKv extends WrappedKv {
  readonly #random: () => number;

  constructor(inner: KvStore, random: () => number) {
    super(inner);
    this.#random = random;
  }

  override async setIf(partition: string, key: Buffer, value: Buffer, condition: Condition): Promise<boolean> {
    if (this.#random() < 0.03) {
      await this.#pause();
      return false;
    }
    return super.setIf(partition, key, value, condition);
  }

  protected override async setTogether(record: KvRecord, condition: Condition, further: readonly KvRecord[]): Promise<boolean> {
    if (this.#random() < 0.03) {
      await this.#pause();
      return false;
    }
    return super.setTogether(record, condition, further);
  }

  protected async around<T>(_: 'read' | 'write', work: () => Promise<T>): Promise<T> {
    await this.#pause();
    const result = await work();
    await this.#pause();
    return result;
  }

  async #pause(): Promise<void> {
    const turns = this.#random() < 0.5 ? 0 : Math.floor(this.#random() * 4);
    for (let i = 0; i < turns; i++) await new Promise(resolve => setImmediate(resolve));
    if (this.#random() < 0.004) await new Promise(resolve => setTimeout(resolve, 25));
  }
}

/** Performs a number of writes, then fails every call: what a killed process looks like from the store. */
export class MortalKv extends WrappedKv {
  writesLeft: number;

  constructor(inner: KvStore, writes: number) {
    super(inner);
    this.writesLeft = writes;
  }

  /** One more step of a multi-step operation, outside the store. */
  step(): void {
    if (this.writesLeft <= 0) throw new SrvError('unavailable', 'killed');
    this.writesLeft--;
  }

  protected around<T>(kind: 'read' | 'write', work: () => Promise<T>): Promise<T> {
    if (this.writesLeft <= 0) return Promise.reject(new SrvError('unavailable', 'killed'));
    if (kind === 'write') this.writesLeft--;
    return work();
  }
}

/** Empties a partition at the moment it is marked for it: a server of another make, which does not wait for readers. */
export class HastyKv extends WrappedKv {
  override async set(partition: string, key: Buffer, value: Buffer): Promise<void> {
    await super.set(partition, key, value);
    if (partition !== 'cleanup-tokens') return;
    const token = key.toString();
    for await (const page of this.inner.scan(token)) for (const row of page) await this.inner.delete(token, row.key);
  }

  protected around<T>(_: 'read' | 'write', work: () => Promise<T>): Promise<T> {
    return work();
  }
}

/** Lets something happen before the next read of a partition, once. */
export class InterruptedKv extends WrappedKv {
  #interruption: { readonly isMeant: (partition: string) => boolean; readonly work: () => Promise<unknown> } | undefined;

  beforeReadOf(isMeant: (partition: string) => boolean, work: () => Promise<unknown>): void {
    this.#interruption = { isMeant, work };
  }

  override async get(partition: string, key: Buffer): Promise<KvValue | undefined> {
    await this.#interrupt(partition);
    return super.get(partition, key);
  }
  override async *scan(partition: string, options?: ScanOptions): AsyncGenerator<readonly KvEntry[]> {
    await this.#interrupt(partition);
    for await (const page of super.scan(partition, options)) {
      yield page;
      await this.#interrupt(partition);
    }
  }

  protected around<T>(_: 'read' | 'write', work: () => Promise<T>): Promise<T> {
    return work();
  }

  async #interrupt(partition: string): Promise<void> {
    const interruption = this.#interruption;
    if (!interruption?.isMeant(partition)) return;
    this.#interruption = undefined;
    await interruption.work();
  }
}
