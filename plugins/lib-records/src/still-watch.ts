/** What other servers write again and again, by the clock of this one: the clocks of two machines may differ by any amount. */

/** With more, the one that has not changed for longest counts as seen for the first time. @bound names whose last sign is known */
const mostWatched = 10_000;

interface Seen {
  readonly sign: string;
  /** By the clock of the watch. */
  readonly since: number;
}

export class StillWatch {
  readonly #seen = new Map<string, Seen>();
  readonly #now: () => number;

  /** @param now milliseconds by a clock that never jumps. */
  constructor(now = (): number => performance.now()) {
    this.#now = now;
  }

  /** Milliseconds since this watch first saw that sign of a name: 0 at first sight. */
  stillFor(name: string, sign: string): number {
    const seen = this.#seen.get(name);
    if (seen?.sign === sign) return this.#now() - seen.since;
    this.#seen.delete(name);
    this.#seen.set(name, { sign, since: this.#now() });
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > mostWatched && oldest !== undefined) this.#seen.delete(oldest);
    return 0;
  }

  /** It is not looked at again. */
  forget(name: string): void {
    this.#seen.delete(name);
  }
}
