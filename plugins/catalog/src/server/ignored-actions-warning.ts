/**
 * Warns when operations pass that action files might have stopped, because nothing here runs them. It looks beside the
 * operation, never in its way, and at most once a minute at each ref: a busy branch costs no further read.
 */
import { LRUCache } from 'lru-cache';
import { messageOf } from '@srv/kernel';
import type { EventRecord, Hooks, Logger } from '@srv/kernel';
import { actionFolders, gatedEvents, runsActions } from '../action-files.js';
import type { Catalog } from '../contract.js';

/** Milliseconds between two looks at a ref, and between two warnings about a repository. */
const interval = 60_000;
/** Those forgotten are looked at again. @bound refs, and repositories, that were looked at lately */
const remembered = 1000;

interface IgnoredActionsWarningOptions {
  readonly hooks: Pick<Hooks, 'event'>;
  readonly log: Logger;
  /** Milliseconds that go on; default: the clock of the process. */
  readonly now?: () => number;
}

export class IgnoredActionsWarning {
  readonly #options: IgnoredActionsWarningOptions;
  readonly #now: () => number;
  readonly #lookedAt = new LRUCache<string, number>({ max: remembered });
  readonly #warnedAt = new LRUCache<string, number>({ max: remembered });
  readonly #running = new Set<Promise<void>>();

  constructor(options: IgnoredActionsWarningOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Looks at the refs of gated operations from now on. */
  watch(catalog: () => Pick<Catalog, 'list'> | undefined): void {
    const { hooks } = this.#options;
    for (const type of gatedEvents)
      hooks.event.for(type).tap('catalog', event => {
        const known = catalog();
        if (known && !runsActions(hooks, type)) this.#begin(known, event);
      });
  }

  /** Waits for looks under way. */
  async drain(): Promise<void> {
    await Promise.all(this.#running);
  }

  #begin(catalog: Pick<Catalog, 'list'>, event: EventRecord): void {
    // The source of a merge is a commit; by its name it is known again.
    const place = JSON.stringify([event.repository, event.mergeSource ?? event.sourceRef]);
    if (!this.#isDue(this.#lookedAt, place)) return;
    this.#lookedAt.set(place, this.#now());
    const running = this.#look(catalog, event)
      .catch((error: unknown) =>
        this.#options.log.debug(
          { repository: event.repository, ref: event.sourceRef, error: messageOf(error) },
          'no look for action files',
        ),
      )
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #look(catalog: Pick<Catalog, 'list'>, { repository, sourceRef, type }: EventRecord): Promise<void> {
    for (const folder of actionFolders) {
      const { results } = await catalog.list(repository, sourceRef, { prefix: folder, after: folder, amount: 1 });
      const [found] = results;
      if (!found) continue;
      if (!this.#isDue(this.#warnedAt, repository)) return;
      this.#warnedAt.set(repository, this.#now());
      this.#options.log.warn(
        { repository, ref: sourceRef, event: type, path: found.path },
        'action files are not run: nothing here runs actions, and operations they would stop succeed',
      );
      return;
    }
  }

  #isDue(times: LRUCache<string, number>, key: string): boolean {
    const last = times.get(key);
    return last === undefined || this.#now() - last >= interval;
  }
}
