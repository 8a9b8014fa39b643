/**
 * A cache whose entries live for a time plus a random share, so that they do not all expire at once. Concurrent loads of one
 * key are one load. Servers that run as one on a machine forget together.
 */
import { LRUCache } from 'lru-cache';

/** The servers of this machine, as the service `peers` offers them. */
export interface CachePeers {
  handle(topic: string, handler: (question: unknown) => Promise<unknown>): void;
  request(topic: string, timeoutMs: number, question?: unknown): Promise<readonly unknown[]>;
}

export interface CacheOptions {
  /** Default: true. */
  readonly enabled?: boolean;
  /** 0 keeps none. The least recently used one goes first. @bound entries of a cache */
  readonly size: number;
  /** Milliseconds; 0 keeps none. */
  readonly ttl: number;
  /** Milliseconds, at most, added at random. */
  readonly jitter: number;
  /** Caches of other servers that forget what this one forgets. */
  readonly peers?: { readonly servers: CachePeers; readonly topic: string };
}

/** Milliseconds that a peer may take to forget; a peer that is late keeps the entry until it expires. */
const peerMs = 2000;

/** The same cache, shared by the servers of this machine. @param name distinguishes it from other caches. */
export function sharedCache(options: CacheOptions, servers: CachePeers | undefined, name: string): CacheOptions {
  return servers ? { ...options, peers: { servers, topic: `forget ${name}` } } : options;
}

/** Absent values and failures are not kept: what was just created is seen at once. Nor are loaded values that `keeps` declines. */
export class ExpiringCache<V extends object> {
  readonly #options: CacheOptions;
  readonly #keeps: (value: V) => boolean;
  readonly #entries: LRUCache<string, V> | undefined;
  readonly #loading = new Map<string, Promise<V | undefined>>();

  constructor(options: CacheOptions, keeps: (value: V) => boolean = () => true) {
    const { enabled = true, size, ttl } = options;
    this.#options = options;
    this.#keeps = keeps;
    // By size, not by number: for that many entries, all places would be made in advance.
    this.#entries = enabled && size > 0 && ttl > 0 ? new LRUCache<string, V>({ maxSize: size, sizeCalculation: () => 1 }) : undefined;
    options.peers?.servers.handle(options.peers.topic, async key => {
      if (typeof key === 'string') this.#forget(key);
      else this.#clear();
      return true;
    });
  }

  peek(key: string): V | undefined {
    return this.#entries?.get(key);
  }

  /** The cached value or what `load` returns. */
  get<Loaded extends V | undefined>(key: string, load: () => Promise<Loaded>): Promise<V | Loaded> {
    const found = this.#entries?.get(key);
    return found === undefined ? this.#load(key, load) : Promise.resolve(found);
  }

  set(key: string, value: V): void {
    const { ttl, jitter } = this.#options;
    this.#entries?.set(key, value, { ttl: Math.max(1, Math.round(ttl + Math.random() * jitter)) });
  }

  /** Forgets one key, and what is being loaded for it: here at once, at the peers when it resolves. */
  async forget(key: string): Promise<void> {
    this.#forget(key);
    await this.#announce(key);
  }

  /** Forgets everything: here at once, at the peers when it resolves. */
  async clear(): Promise<void> {
    this.#clear();
    await this.#announce(null);
  }

  #forget(key: string): void {
    this.#entries?.delete(key);
    this.#loading.delete(key);
  }

  #clear(): void {
    this.#entries?.clear();
    this.#loading.clear();
  }

  async #announce(key: string | null): Promise<void> {
    const { peers } = this.#options;
    // One that does not answer in time, or has just ended, has no entry for longer than its time.
    await peers?.servers.request(peers.topic, peerMs, key).catch(() => undefined);
  }

  async #load<Loaded extends V | undefined>(key: string, load: () => Promise<Loaded>): Promise<V | Loaded> {
    const running = this.#loading.get(key) as Promise<Loaded> | undefined;
    if (running) return running;
    const loading = load();
    this.#loading.set(key, loading);
    try {
      const value = await loading;
      // A write since the load began has taken the entry away: its value may be old.
      if (value !== undefined && this.#keeps(value) && this.#loading.get(key) === loading) this.set(key, value);
      return value;
    } finally {
      if (this.#loading.get(key) === loading) this.#loading.delete(key);
    }
  }
}
