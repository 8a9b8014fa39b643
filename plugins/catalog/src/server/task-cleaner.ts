/** Forgets old tasks of every repository once a day. */
import { messageOf } from '@srv/kernel';
import type { Logger } from '@srv/kernel';
import type { Versioning } from '@srv/versioning/contract';
import type { Tasks } from './tasks.js';

/** Milliseconds. */
const period = 86_400_000;

export class TaskCleaner {
  readonly #versioning: Versioning;
  readonly #tasks: Tasks;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #running = false;

  constructor(versioning: Versioning, tasks: Tasks, log: Logger) {
    this.#versioning = versioning;
    this.#tasks = tasks;
    this.#log = log;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.clean().catch((error: unknown) => this.#log.warn({ error: messageOf(error) }, 'task clean-up failed; it will be tried again'));
    }, period).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Does nothing while an earlier call is under way. */
  async clean(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    try {
      for await (const repository of this.#versioning.repositories('')) await this.#tasks.clean(repository);
    } finally {
      this.#running = false;
    }
  }
}
