/**
 * Deletes staging partitions that no branch names any more. A marker is written first, so that nothing is forgotten;
 * the rows stay for a grace period, so that readers that saw the branch before finish their look at a whole picture.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@srv/kernel';
import type { KvStore, Logger } from '@srv/kernel';

const partition = 'cleanup-tokens';
const marker = Buffer.from('stub-value');
const deleteBatch = 256;

interface TokenCleanerOptions {
  readonly kv: KvStore;
  readonly log: Logger;
  /** Milliseconds between a drop and the deletion of its rows. */
  readonly grace: number;
  /** Milliseconds between looks for markers of other processes. */
  readonly period: number;
  /** Deletions per second; 0: unlimited. */
  readonly rateLimit: number;
}

export class TokenCleaner {
  readonly #options: TokenCleanerOptions;
  readonly #firstSeen = new Map<string, number>();
  readonly #stop = new AbortController();
  readonly #dropping = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: TokenCleanerOptions) {
    this.#options = options;
  }

  /** Looks for markers now and then. */
  start(): void {
    this.#schedule(this.#options.grace);
  }

  /** Ends the work under way; what is left is found again at the next start. */
  async stop(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await Promise.all(this.#dropping);
    await this.#running;
  }

  /** Marks partitions for deletion. */
  async drop(tokens: readonly string[]): Promise<void> {
    await Promise.all(tokens.map(token => this.#options.kv.set(partition, Buffer.from(token), marker)));
    for (const token of tokens) this.#firstSeen.set(token, performance.now());
    if (tokens.length > 0) this.#schedule(this.#options.grace);
  }

  /**
   * Marks partitions that no branch names any longer, in the background. A partition that is not marked because the process
   * was killed stays for ever and does no harm.
   */
  dropSoon(tokens: readonly string[]): void {
    const dropping = this.drop(tokens)
      .catch((error: unknown) =>
        this.#options.log.warn({ error: messageOf(error) }, 'staging of a branch not marked for clean-up; its rows stay'),
      )
      .finally(() => this.#dropping.delete(dropping));
    this.#dropping.add(dropping);
  }

  /** Deletes the rows of every marked partition whose grace is over. */
  async clean(): Promise<void> {
    const { kv, grace } = this.#options;
    const begin = performance.now();
    const marked = new Set<string>();
    for await (const page of kv.scan(partition)) {
      for (const { key } of page) {
        const token = key.toString('utf8');
        marked.add(token);
        const seen = this.#firstSeen.get(token) ?? performance.now();
        this.#firstSeen.set(token, seen);
        if (performance.now() - seen < grace) continue;
        if (!(await this.#deleteRows(token))) return;
        await kv.delete(partition, key);
        this.#firstSeen.delete(token);
      }
    }
    // What another server has cleaned meanwhile.
    for (const [token, seen] of this.#firstSeen) if (seen < begin && !marked.has(token)) this.#firstSeen.delete(token);
  }

  /** False when stopped before the end. */
  async #deleteRows(token: string): Promise<boolean> {
    const { kv, rateLimit } = this.#options;
    for await (const page of kv.scan(token)) {
      for (let at = 0; at < page.length; at += deleteBatch) {
        if (this.#stop.signal.aborted) return false;
        const batch = page.slice(at, at + deleteBatch);
        await Promise.all(batch.map(({ key }) => kv.delete(token, key)));
        if (rateLimit > 0) await sleep((batch.length * 1000) / rateLimit, undefined, { signal: this.#stop.signal }).catch(() => {});
      }
    }
    return true;
  }

  #schedule(delay: number): void {
    if (this.#stop.signal.aborted || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#running = this.clean()
        .catch((error: unknown) => this.#options.log.warn({ error: messageOf(error) }, 'staging clean-up failed; it will be tried again'))
        .finally(() => this.#schedule(this.#firstSeen.size > 0 ? this.#options.grace : this.#options.period));
    }, delay);
    this.#timer.unref();
  }
}
