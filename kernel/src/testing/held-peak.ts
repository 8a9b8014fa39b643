/** How much is held while a stream passes. */
import { heldBytes } from './held-bytes.js';

export class HeldPeak {
  readonly #before = heldBytes();
  readonly #lookEvery: number;
  #most = this.#before;
  #sinceLook = 0;

  /** @param lookEvery how much passes between two looks: bytes, or whatever is given to `pass` */
  constructor(lookEvery = 8 << 20) {
    this.#lookEvery = lookEvery;
  }

  /** Counts what passes; measures what is held each time `lookEvery` has passed. */
  pass(amount: number): void {
    this.#sinceLook += amount;
    if (this.#sinceLook < this.#lookEvery) return;
    this.#sinceLook = 0;
    this.#most = Math.max(this.#most, heldBytes());
  }

  /** Bytes: the most that was held at a look, beyond what was held at first. */
  get growth(): number {
    return this.#most - this.#before;
  }
}
