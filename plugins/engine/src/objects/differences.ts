/** Pages of differences, with the same prefix and delimiter rules as listings. */
import type { DifferenceRequest, KeyDifference } from '../refs/contract.js';
import type { SeekableItems } from './listing.js';

/** Differences as items that can jump ahead: a jump restarts the comparison after the skipped keys. */
export class DifferenceItems implements SeekableItems<KeyDifference> {
  readonly #open: (request: DifferenceRequest) => AsyncIterable<KeyDifference>;
  readonly #prefix: Buffer;
  #differences: AsyncIterator<KeyDifference> | undefined;
  #current: KeyDifference | undefined;

  constructor(open: (request: DifferenceRequest) => AsyncIterable<KeyDifference>, prefix: string) {
    this.#open = open;
    this.#prefix = Buffer.from(prefix, 'utf8');
  }

  get current() {
    return this.#current && { key: this.#current.key, item: this.#current };
  }

  async seek(start: Buffer): Promise<void> {
    for (let i = 0; i < shortSkip && this.#current && Buffer.compare(this.#current.key, start) < 0; i++) await this.next();
    if (this.#current && Buffer.compare(this.#current.key, start) >= 0) return;
    await this.close();
    const request = { start: start.length > 0 ? start : undefined, prefix: this.#prefix.length > 0 ? this.#prefix : undefined };
    this.#differences = this.#open(request)[Symbol.asyncIterator]();
    await this.next();
  }

  async next(): Promise<void> {
    const step = await this.#differences?.next();
    this.#current = step === undefined || step.done ? undefined : step.value;
  }

  async close(): Promise<void> {
    await this.#differences?.return?.();
    this.#differences = undefined;
  }
}

/** Differences to step over before a new comparison is cheaper. */
const shortSkip = 256;
