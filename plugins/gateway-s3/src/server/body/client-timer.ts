/** How long a client may keep a body waiting. Time during which the server itself is busy with the body does not count. */

export class ClientTimer {
  readonly #timer: NodeJS.Timeout | undefined;
  #isWaiting = true;
  #isClosed = false;

  /**
   * Starts at once.
   * @param limit milliseconds, as many as a timer can hold; 0: any time.
   * @param late called at most once, when the server has waited that long.
   */
  constructor(limit: number, late: () => void) {
    if (limit === 0) return;
    this.#timer = setTimeout(() => {
      if (this.#isWaiting) late();
    }, limit);
  }

  /** The server waits for the client from now on. */
  wait(): void {
    if (this.#isClosed) return;
    this.#isWaiting = true;
    this.#timer?.refresh();
  }

  /** The server is busy until {@link wait}. */
  hold(): void {
    this.#isWaiting = false;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}
