/**
 * Partitions that have none of some kind of record, remembered if this program alone uses the database: only what it writes itself
 * can change that. It saves the read by which most changes find nothing.
 */

/** With more, everything is forgotten. @bound partitions of which it is known whether they have records of a kind */
const maxRemembered = 10_000;

export class PartitionsWithout {
  readonly #isLasting: boolean;
  readonly #known = new Map<string, boolean>();
  /** Counts records written, for looks that began before. */
  #written = 0;

  /** @param isLasting whether a partition with such records may be taken to keep them: that is remembered as well. */
  constructor({ isLasting = false } = {}) {
    this.#isLasting = isLasting;
  }

  /** @param isWithout looks at the database. */
  async has(partition: string, isWithout: () => Promise<boolean>): Promise<boolean> {
    const known = this.#known.get(partition);
    if (known !== undefined) return known;
    const before = this.#written;
    const found = await isWithout();
    if (this.#known.size >= maxRemembered) this.#known.clear();
    if ((found || this.#isLasting) && this.#written === before) this.#known.set(partition, found);
    return found;
  }

  /** After such a record was written, or may have been, and before anything happens that relies on it. */
  forget(partition: string): void {
    this.#written++;
    this.#known.delete(partition);
  }
}
