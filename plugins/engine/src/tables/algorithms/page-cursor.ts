/** One item at a time from asynchronous pages; a step waits only at a page's end. */
export class PageCursor<T> {
  readonly #pages: AsyncIterator<readonly T[]>;
  #page: readonly T[] = [];
  #at = 0;

  private constructor(pages: AsyncIterable<readonly T[]>) {
    this.#pages = pages[Symbol.asyncIterator]();
  }

  /** Stands at the first item. */
  static async open<T>(pages: AsyncIterable<readonly T[]>): Promise<PageCursor<T>> {
    const cursor = new PageCursor(pages);
    await cursor.#fill();
    return cursor;
  }

  /** `undefined` past the end. */
  get current(): T | undefined {
    return this.#page[this.#at];
  }

  /** Moves on; await the result when there is one. */
  next(): Promise<void> | undefined {
    this.#at++;
    return this.#at < this.#page.length ? undefined : this.#fill();
  }

  /** Signals to the producer that no more is wanted. */
  async close(): Promise<void> {
    await this.#pages.return?.();
  }

  async #fill(): Promise<void> {
    this.#at = 0;
    do {
      const { done, value } = await this.#pages.next();
      this.#page = done ? [] : value;
      if (done) return;
    } while (this.#page.length === 0);
  }
}
