/** Optimistic concurrency: try, wait a little longer each time, give up with a clear error. */

import { setTimeout } from 'node:timers/promises';
import { SrvError } from '@srv/kernel';
import type { Counter, Metrics } from '@srv/kernel/metrics';

/** Tries of an update that others may win against. */
export const updateTries = 10;
/** Milliseconds: first wait, its growth, and the longest. */
const wait = { first: 50, factor: 1.5, longest: 5000 };

export class Retries<Operation extends string> {
  readonly #counters: ReadonlyMap<Operation, Counter>;

  /** @param operations labels of what is tried again. */
  constructor(metrics: Metrics, operations: readonly Operation[]) {
    const retries = metrics.counter({
      name: 'graveler_kv_retries',
      help: 'Compare-and-set updates that were tried again because another one had won',
      labels: ['operation'],
    });
    this.#counters = new Map(operations.map(operation => [operation, retries.labels(operation)]));
  }

  /** Notes that `operation` is tried again. */
  count(operation: Operation): void {
    this.#counters.get(operation)?.add();
  }

  /**
   * Calls `attempt` until it returns something.
   * @throws SrvError `too_many_tries` naming `what` after {@link updateTries} tries.
   */
  async run<T>(operation: Operation, what: string, attempt: () => Promise<T | undefined>): Promise<T> {
    let pause = wait.first;
    for (let tries = 1; ; tries++) {
      const result = await attempt();
      if (result !== undefined) return result;
      if (tries === updateTries) throw new SrvError('too_many_tries', `${what}: too many tries (${tries}); others kept changing it`);
      this.count(operation);
      await setTimeout(pause * (0.5 + Math.random()));
      pause = Math.min(pause * wait.factor, wait.longest);
    }
  }
}
