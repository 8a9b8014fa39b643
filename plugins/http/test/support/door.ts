/** Lets requests through when the test says so. */
export class Door {
  /** Requests that have come to the door. */
  waiting = 0;
  readonly #opened: Promise<void>;
  #open: () => void = () => undefined;

  constructor() {
    this.#opened = new Promise(resolve => {
      this.#open = resolve;
    });
  }

  async pass<T>(answer: T): Promise<T> {
    this.waiting++;
    await this.#opened;
    return answer;
  }

  open(): void {
    this.#open();
  }
}
