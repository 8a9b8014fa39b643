/**
 * What is typed or pasted while a line runs: it waits until the prompt is back, so that it appears there and does not
 * mix with the output.
 */
export class TypeAhead {
  readonly #isBusy: () => boolean;
  readonly #waiting: (() => void)[] = [];

  /** @param isBusy whether a line runs that does not itself ask for input. */
  constructor(isBusy: () => boolean) {
    this.#isBusy = isBusy;
  }

  /** @param enter types the key or inserts the text: now, or in its turn. */
  take(enter: () => void): void {
    if (this.#isBusy()) this.#waiting.push(enter);
    else enter();
  }

  /** Enters what has waited, up to the end of the next line to run. */
  replay(): void {
    while (!this.#isBusy()) {
      const enter = this.#waiting.shift();
      if (!enter) return;
      enter();
    }
  }

  /** Forgets what has waited. */
  clear(): void {
    this.#waiting.length = 0;
  }
}
