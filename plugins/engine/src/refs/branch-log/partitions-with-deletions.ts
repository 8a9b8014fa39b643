/**
 * Of a database that this program alone uses: the partitions of repositories in which a branch may have been deleted. In most
 * of them none ever was, and to know that saves a read for each branch that is created.
 */

/** @bound partitions of which it is known whether a branch was deleted there */
const maxPartitions = 10_000;

export class PartitionsWithDeletions {
  readonly #isWithout: (partition: string) => Promise<boolean>;
  #known = new Map<string, boolean>();

  /** @param isWithout whether no deletion is recorded, read from the database. */
  constructor(isWithout: (partition: string) => Promise<boolean>) {
    this.#isWithout = isWithout;
  }

  /** Before a deletion is recorded there. */
  add(partition: string): void {
    this.#remember(partition, true);
  }

  /** @returns false: no deletion was recorded there. */
  async has(partition: string): Promise<boolean> {
    const before = this.#known;
    const known = before.get(partition);
    if (known !== undefined) return known;
    const found = !(await this.#isWithout(partition));
    // A deletion that came meanwhile has said so, or its saying so was forgotten.
    if (this.#known === before && !before.has(partition)) this.#remember(partition, found);
    return found || before.get(partition) === true;
  }

  #remember(partition: string, has: boolean): void {
    if (this.#known.size >= maxPartitions) this.#known = new Map();
    this.#known.set(partition, has);
  }
}
