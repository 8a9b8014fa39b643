/** How much is held while a stream passes. */
import { heldBytes } from './held-bytes.js';

export class HeldPeak {
  readonly #before = heldBytes();
  readonly #measureEvery: number;
  #most = this.#before;
  #sinceLook = 0;

  /** @param measureEvery how much passes between two measurements: bytes, or the unit that is given to `pass` */
  constructor(measureEvery = 8 << 20) {
    this.#measureEvery = measureEvery;
  }

  /** Counts what passes; measures what is held each time `measureEvery` has passed. */
  pass(amount: number): void {
    this.#sinceLook += amount;
    if (this.#sinceLook < this.#measureEvery) return;
    this.#sinceLook = 0;
    this.#most = Math.max(this.#most, heldBytes(this.#most));
  }

  /** Bytes: the most that a measurement found held, beyond what was held at first. */
  get growth(): number {
    return this.#most - this.#before;
  }
}
