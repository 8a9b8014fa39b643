/** Looks after every repository an hour after the start and once a day, such as to forget old tasks. */
import { messageOf } from '@srv/kernel';
import type { Logger } from '@srv/kernel';

/** Milliseconds. */
const period = 86_400_000;
/** Milliseconds: a server that is restarted every day cleans, too, and not while it has much else to do. */
const firstAfter = 3_600_000;

export interface DailyCleanerOptions<Repository extends { readonly id: string }> {
  readonly engine: { repositories(start: string): AsyncIterable<Repository> };
  readonly log: Logger;
  /** For the log: what is cleaned. */
  readonly what: string;
  readonly clean: (repository: Repository) => Promise<void>;
}

export class DailyCleaner<Repository extends { readonly id: string }> {
  readonly #options: DailyCleanerOptions<Repository>;
  #timer: NodeJS.Timeout | undefined;
  #running = false;
  #stopped = false;

  constructor(options: DailyCleanerOptions<Repository>) {
    this.#options = options;
  }

  start(): void {
    const { log, what } = this.#options;
    const clean = (): void => {
      this.#timer = setTimeout(clean, period).unref();
      this.cleanAll().catch((error: unknown) =>
        log.warn({ what, error: messageOf(error) }, 'cannot list the repositories to clean up; it will be tried again'),
      );
    };
    this.#timer = setTimeout(clean, firstAfter).unref();
  }

  /** Cleans no further repository. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /**
   * Does nothing while an earlier call is under way. A repository that fails is logged; the others are cleaned.
   * @throws an error when the repositories cannot be listed.
   */
  async cleanAll(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    const { engine, clean, log, what } = this.#options;
    try {
      for await (const repository of engine.repositories('')) {
        if (this.#stopped) return;
        await clean(repository).catch((error: unknown) => {
          if (this.#stopped) return;
          log.warn({ what, repository: repository.id, error: messageOf(error) }, 'clean-up failed; it will be tried again');
        });
      }
    } finally {
      this.#running = false;
    }
  }
}
