/** What the command-line parser needs of `node:events`. */
type Listener = (...args: readonly unknown[]) => void;

export class EventEmitter {
  readonly #listeners = new Map<string, Listener[]>();

  on(name: string, listener: Listener): this {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
    return this;
  }

  emit(name: string, ...args: readonly unknown[]): boolean {
    const found = this.#listeners.get(name) ?? [];
    for (const listener of found) listener(...args);
    return found.length > 0;
  }

  listenerCount(name: string): number {
    return this.#listeners.get(name)?.length ?? 0;
  }
}

/** Browsers do not warn of many listeners. */
export function setMaxListeners(): void {}
