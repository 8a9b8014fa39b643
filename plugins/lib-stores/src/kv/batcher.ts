/**
 * Puts requests together: those of one turn of the event loop, and those that come while enough are on their way, are
 * answered by one statement. Nothing waits for company: a request alone is sent at the end of its turn.
 */
export interface BatcherOptions<Item> {
  /** Answers all of them; never fails. */
  readonly run: (items: readonly Item[]) => Promise<void>;
  /** Requests of one group go into one statement. */
  readonly groupOf: (item: Item) => string;
  /** Of two requests with the same one the second waits for the next statement. Default: any may go together. */
  readonly nameOf?: (item: Item) => string;
  /** Items of one statement. */
  readonly maxItems: number;
  /** Statements on their way at a time. */
  readonly maxRunning: number;
}

export class Batcher<Item> {
  readonly #options: BatcherOptions<Item>;
  #waiting: Item[] = [];
  #running = 0;
  #isDue = false;

  constructor(options: BatcherOptions<Item>) {
    this.#options = options;
  }

  add(item: Item): void {
    this.#waiting.push(item);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isDue || this.#waiting.length === 0 || this.#running >= this.#options.maxRunning) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      while (this.#waiting.length > 0 && this.#running < this.#options.maxRunning) this.#start(this.#take());
    });
  }

  #start(items: readonly Item[]): void {
    this.#running++;
    void this.#options.run(items).finally(() => {
      this.#running--;
      this.#schedule();
    });
  }

  /** The first in line and those that can go with it. */
  #take(): readonly Item[] {
    const { groupOf, nameOf, maxItems } = this.#options;
    const taken: Item[] = [];
    const left: Item[] = [];
    const names = new Set<string>();
    let group: string | undefined;
    for (const item of this.#waiting) {
      group ??= groupOf(item);
      const name = nameOf?.(item);
      if (taken.length >= maxItems || groupOf(item) !== group || (name !== undefined && names.has(name))) left.push(item);
      else {
        taken.push(item);
        if (name !== undefined) names.add(name);
      }
    }
    this.#waiting = left;
    return taken;
  }
}
