/**
 * Warns when an operation succeeds that action files might have stopped, because nothing here runs them. The check runs in
 * the background and at most once a minute per ref, so that a busy branch causes no further reads.
 */

import { messageOf } from '@srv/kernel';
import { LRUCache } from 'lru-cache';
import { actionFolders, gatedEvents, runsActions } from './action-files.js';
import type { EventRecord, Hooks, Logger } from '@srv/kernel';
import type { Engine } from '../contract.js';

/** Milliseconds between two checks of a ref, and between two warnings about a repository. */
const interval = 60_000;
/** Forgotten ones are checked again. @bound recently checked refs, and repositories */
const remembered = 1000;

interface IgnoredActionsWarningOptions {
  readonly hooks: Pick<Hooks, 'event'>;
  readonly log: Logger;
  /** Monotonic milliseconds; default: the clock of the process. */
  readonly now?: () => number;
}

export class IgnoredActionsWarning {
  readonly #options: IgnoredActionsWarningOptions;
  readonly #now: () => number;
  readonly #checkedAt = new LRUCache<string, number>({ max: remembered });
  readonly #warnedAt = new LRUCache<string, number>({ max: remembered });
  readonly #running = new Set<Promise<void>>();

  constructor(options: IgnoredActionsWarningOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Checks the refs of gated operations from now on. */
  watch(engine: () => Pick<Engine, 'list'> | undefined): void {
    const { hooks } = this.#options;
    for (const type of gatedEvents)
      hooks.event.for(type).tap('engine', event => {
        const known = engine();
        if (known && !runsActions(hooks, type)) this.#begin(known, event);
      });
  }

  /** Waits for checks in progress. */
  async drain(): Promise<void> {
    await Promise.all(this.#running);
  }

  #begin(engine: Pick<Engine, 'list'>, event: EventRecord): void {
    // The source of a merge is a commit; its name identifies it across merges.
    const place = JSON.stringify([event.repository, event.mergeSource ?? event.sourceRef]);
    if (!this.#isDue(this.#checkedAt, place)) return;
    this.#checkedAt.set(place, this.#now());
    const running = this.#check(engine, event)
      .catch((error: unknown) =>
        this.#options.log.debug(
          { repository: event.repository, ref: event.sourceRef, error: messageOf(error) },
          'search for action files failed',
        ),
      )
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #check(engine: Pick<Engine, 'list'>, { repository, sourceRef, type }: EventRecord): Promise<void> {
    for (const folder of actionFolders) {
      const { results } = await engine.list(repository, sourceRef, { prefix: folder, after: folder, amount: 1 });
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
