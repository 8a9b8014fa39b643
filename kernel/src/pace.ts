/** Long work in one process with everything else. */
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work until others get their turn. */
const turnMs = 5;

/** Of one piece of work, such as a walk over records that memory answers: call `rest` between its steps, however many there are. */
export class Pace {
  #since = performance.now();

  /** Lets the rest of the process work if it has waited for a few milliseconds. */
  async rest(): Promise<void> {
    if (performance.now() - this.#since < turnMs) return;
    await nextTurn();
    this.#since = performance.now();
  }
}
