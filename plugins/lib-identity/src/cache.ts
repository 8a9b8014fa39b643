/** A cache whose entries live a little differently long, so that they do not all expire at once. */
import { LRUCache } from 'lru-cache';

export interface CacheOptions {
  readonly enabled: boolean;
  /** Entries. */
  readonly size: number;
  /** Milliseconds. */
  readonly ttl: number;
  /** Milliseconds added at random, from 0. */
  readonly jitter: number;
}

/** Concurrent loads of one key are one load. Absent values and errors are not kept: what was just created is seen at once. */
export class AuthCache<V extends object> {
  readonly #options: CacheOptions;
  readonly #values: LRUCache<string, V>;
  readonly #loading = new Map<string, Promise<V | undefined>>();

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#values = new LRUCache({ max: options.size });
  }

  async get(key: string, load: () => Promise<V | undefined>): Promise<V | undefined> {
    const { enabled, ttl, jitter } = this.#options;
    if (!enabled || ttl <= 0) return load();
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const running = this.#loading.get(key);
    if (running) return running;
    const loading = load()
      .then(value => {
        // A write since the load began has taken the entry away: its value may be old.
        if (value !== undefined && this.#loading.get(key) === loading) this.#values.set(key, value, { ttl: ttl + Math.random() * jitter });
        return value;
      })
      .finally(() => {
        if (this.#loading.get(key) === loading) this.#loading.delete(key);
      });
    this.#loading.set(key, loading);
    return loading;
  }

  /** Forgets one key, and what is being loaded for it. */
  forget(key: string): void {
    this.#values.delete(key);
    this.#loading.delete(key);
  }

  clear(): void {
    this.#values.clear();
    this.#loading.clear();
  }
}
