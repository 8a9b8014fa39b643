/** Sources of an import, read together in the order of their next keys. */
import { SrvError } from '@srv/kernel';
import type { Change } from '@srv/engine/contract';

export class Source {
  /** Place among the sources: of those with the same key a later one counts. */
  readonly index: number;
  readonly #objects: AsyncIterator<Change>;
  current: Change | undefined;

  private constructor(objects: AsyncIterable<Change>, index: number) {
    this.#objects = objects[Symbol.asyncIterator]();
    this.index = index;
  }

  static async open(objects: AsyncIterable<Change>, index: number): Promise<Source> {
    const source = new Source(objects, index);
    await source.next();
    return source;
  }

  /** @throws SrvError `unsupported` when the objects are not in order. */
  async next(): Promise<void> {
    const before = this.current?.key;
    const { done, value } = await this.#objects.next();
    this.current = done ? undefined : value;
    if (before && this.current && Buffer.compare(this.current.key, before) < 0) {
      throw new SrvError(
        'unsupported',
        `the store lists ${this.current.key.toString()} after ${before.toString()}: its listing is not in order of names`,
      );
    }
  }

  /** Before its end. */
  async close(): Promise<void> {
    await this.#objects.return?.();
  }
}

/** A binary heap; work per object grows with the logarithm of the number of sources. */
export class SourceHeap {
  readonly #sources: Source[] = [];

  /** Does nothing with one that has ended. */
  add(source: Source): void {
    if (!source.current) return;
    let at = this.#sources.push(source) - 1;
    for (let above = (at - 1) >> 1; at > 0 && this.#isBefore(at, above); above = (at - 1) >> 1) {
      this.#swap(at, above);
      at = above;
    }
  }

  /** The source with the smallest key; of several, the last one. */
  get first(): Source | undefined {
    return this.#sources[0];
  }

  /** To be called when {@link first} has moved. */
  settle(): void {
    const last = this.first?.current ? undefined : this.#sources.pop();
    if (last && this.#sources.length > 0) this.#sources[0] = last;
    for (let at = 0, next = this.#firstBelow(0); this.#isBefore(next, at); next = this.#firstBelow(at)) {
      this.#swap(at, next);
      at = next;
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#sources.map(source => source.close()));
  }

  #firstBelow(at: number): number {
    const [left, right] = [2 * at + 1, 2 * at + 2];
    return this.#isBefore(right, left) ? right : left;
  }

  #isBefore(a: number, b: number): boolean {
    const [one, other] = [this.#sources[a], this.#sources[b]];
    if (!one?.current || !other?.current) return false;
    return (Buffer.compare(one.current.key, other.current.key) || other.index - one.index) < 0;
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#sources[a], this.#sources[b]];
    if (!one || !other) return;
    this.#sources[a] = other;
    this.#sources[b] = one;
  }
}
