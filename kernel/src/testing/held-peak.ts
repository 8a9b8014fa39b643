/** How much is held while a stream passes. */
import { heldBytes } from './held-bytes.js';

export class HeldPeak {
  readonly #before = heldBytes();
  readonly #lookEvery: number;
  #most = this.#before;
  #sinceLook = 0;

  /** @param lookEvery what passes between two looks: bytes, or whatever `pass` counts */
  constructor(lookEvery = 8 << 20) {
    this.#lookEvery = lookEvery;
  }

  /** Tells that `amount` more has passed; looks now and then at how much is held. */
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
