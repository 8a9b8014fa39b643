/** Staged changes in key order, read page by page. */

export interface Change {
  readonly key: Buffer;
  /** Absent: the key is to be removed. */
  readonly value: Buffer | undefined;
}

/** One change at a time from pages; a step is asynchronous only at a page's end. */
export class ChangeCursor {
  readonly #pages: AsyncIterator<readonly Change[]>;
  #page: readonly Change[] = [];
  #at = 0;

  private constructor(pages: AsyncIterable<readonly Change[]>) {
    this.#pages = pages[Symbol.asyncIterator]();
  }

  static async open(pages: AsyncIterable<readonly Change[]>): Promise<ChangeCursor> {
    const cursor = new ChangeCursor(pages);
    await cursor.#fill();
    return cursor;
  }

  /** `undefined` past the end. */
  get current(): Change | undefined {
    return this.#page[this.#at];
  }

  /** Moves on; await the result when there is one. */
  next(): Promise<void> | undefined {
    this.#at++;
    return this.#at < this.#page.length ? undefined : this.#fill();
  }

  /** Tells the producer that no more is wanted. */
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
