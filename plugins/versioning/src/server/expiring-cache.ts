/** A cache whose entries live for a time plus a random share, and whose concurrent misses share one computation. */
import { LRUCache } from 'lru-cache';

export interface ExpiringCacheOptions {
  /** Entries; 0 keeps none. */
  readonly size: number;
  /** Milliseconds. */
  readonly ttl: number;
  /** Milliseconds, at most, added at random. */
  readonly jitter: number;
}

export class ExpiringCache<V extends object> {
  readonly #options: ExpiringCacheOptions;
  readonly #entries: LRUCache<string, V> | undefined;
  readonly #loading = new Map<string, Promise<V>>();

  constructor(options: ExpiringCacheOptions) {
    this.#options = options;
    this.#entries = options.size > 0 && options.ttl > 0 ? new LRUCache<string, V>({ max: options.size }) : undefined;
  }

  peek(key: string): V | undefined {
    return this.#entries?.get(key);
  }

  /** The cached value or what `load` returns. Failures are not kept. */
  async get(key: string, load: () => Promise<V>): Promise<V> {
    const found = this.#entries?.get(key);
    if (found !== undefined) return found;
    const running = this.#loading.get(key);
    if (running) return running;
    const loading = load();
    this.#loading.set(key, loading);
    try {
      const value = await loading;
      if (this.#loading.get(key) === loading) this.set(key, value);
      return value;
    } finally {
      if (this.#loading.get(key) === loading) this.#loading.delete(key);
    }
  }

  set(key: string, value: V): void {
    const { ttl, jitter } = this.#options;
    this.#entries?.set(key, value, { ttl: Math.max(1, Math.round(ttl + Math.random() * jitter)) });
  }

  /** Also keeps a computation under way from being stored. */
  invalidate(key: string): void {
    this.#entries?.delete(key);
    this.#loading.delete(key);
  }
}
