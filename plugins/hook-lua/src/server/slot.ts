/** The slot of one script: given away while the script waits for the server, and given back once. */

interface SlotCount {
  readonly take: () => void;
  readonly leave: () => void;
}

export class Slot {
  readonly #count: SlotCount;
  #isHeld = true;
  #isOver = false;

  /** @param count of the slots in use, which includes this one. */
  constructor(count: SlotCount) {
    this.#count = count;
  }

  /** Does work without the slot, and takes it back afterwards, free or not, unless the script has ended meanwhile. */
  async outside<T>(work: () => Promise<T>): Promise<T> {
    this.#release();
    try {
      return await work();
    } finally {
      if (!this.#isOver) {
        this.#count.take();
        this.#isHeld = true;
      }
    }
  }

  /** The script has ended, whether it holds its slot or not. */
  end(): void {
    this.#isOver = true;
    this.#release();
  }

  #release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#count.leave();
  }
}
