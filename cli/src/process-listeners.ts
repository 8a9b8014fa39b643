/** Listeners for an event of the process, any number of them as one: Node.js takes more than ten for a mistake and warns the user. */
export class ProcessListeners {
  readonly #event: 'SIGINT' | 'beforeExit';
  readonly #listeners = new Set<() => void>();
  readonly #onEvent = (): void => {
    for (const listener of this.#listeners) listener();
  };

  constructor(event: 'SIGINT' | 'beforeExit') {
    this.#event = event;
  }

  add(listener: () => void): void {
    if (this.#listeners.size === 0) process.on(this.#event, this.#onEvent);
    this.#listeners.add(listener);
  }

  remove(listener: () => void): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) process.off(this.#event, this.#onEvent);
  }
}
