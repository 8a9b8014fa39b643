/** Lines that arrive together, as in a paste: each waits until the one before is done, and knows what is still open of it. */
import type { REPLServer } from 'node:repl';

type LineListener = (line: string) => void;

export class LineQueue {
  readonly #waiting: string[] = [];
  readonly #listeners: readonly LineListener[];
  readonly #onIdle: () => void;
  #isBusy = false;

  /**
   * Takes precedence over other listeners for lines.
   * @param onIdle called when a line is done and no other waits.
   */
  constructor(server: REPLServer, onIdle: () => void) {
    this.#onIdle = onIdle;
    this.#listeners = server.listeners('line') as LineListener[];
    server.removeAllListeners('line');
    server.on('line', line => {
      this.#waiting.push(line);
      this.#next();
    });
  }

  /** A line is being evaluated. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Forgets what has not begun. */
  clear(): void {
    this.#waiting.length = 0;
  }

  /** A line begins to be evaluated. */
  begin(): void {
    this.#isBusy = true;
  }

  /** The line is done. */
  end(): void {
    this.#isBusy = false;
    this.#next();
    if (!this.#isBusy) this.#onIdle();
  }

  #next(): void {
    while (!this.#isBusy) {
      const line = this.#waiting.shift();
      if (line === undefined) return;
      // A listener that evaluates says so before it returns.
      for (const listener of this.#listeners) listener(line);
    }
  }
}
