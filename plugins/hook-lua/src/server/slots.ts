/** Who may run a script now: the scripts of one repository do not keep those of another waiting. */
import { SrvError } from '@srv/kernel';
import { Slot } from './slot.js';

interface SlotLimits {
  /** Scripts at the same time. */
  readonly threads: number;
  /** Scripts of one repository at the same time. */
  readonly perRepository: number;
  /** Further scripts, each the only one of its repository. */
  readonly reserve: number;
}

interface Waiting {
  readonly repository: string;
  readonly enter: () => void;
}

interface WaitLimits {
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Milliseconds of the longest wait. */
  readonly waitMs: number;
}

export class Slots {
  readonly #limits: SlotLimits;
  /** In the order in which they came. */
  readonly #waiting: Waiting[] = [];
  /** Scripts that run, by repository. */
  readonly #running = new Map<string, number>();
  #busy = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Waits for a slot. @throws SrvError `cancelled` when `signal` is aborted before; `timeout` after `waitMs`. */
  async enter(repository: string, limits: WaitLimits): Promise<Slot> {
    if (this.#isFree(repository)) this.#take(repository);
    else await this.#wait(repository, limits);
    return new Slot({ take: () => this.#take(repository), leave: () => this.#leave(repository) });
  }

  #wait(repository: string, { signal, waitMs }: WaitLimits): Promise<void> {
    return new Promise((resolve, reject) => {
      let clock: NodeJS.Timeout | undefined;
      const settle = (): void => {
        clearTimeout(clock);
        signal.removeEventListener('abort', abort);
      };
      const giveUp = (error: SrvError): void => {
        settle();
        const at = this.#waiting.indexOf(waiting);
        if (at >= 0) this.#waiting.splice(at, 1);
        reject(error);
      };
      const abort = (): void =>
        giveUp(new SrvError('cancelled', 'the script was not started: no request waits for the hook any longer', { cause: signal.reason }));
      const waiting: Waiting = {
        repository,
        enter: () => {
          settle();
          this.#take(repository);
          resolve();
        },
      };
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      // The script whose end is awaited keeps the process running.
      clock = setTimeout(() => giveUp(tooLong(waitMs)), waitMs).unref();
      this.#waiting.push(waiting);
    });
  }

  /** Takes a slot, free or not. */
  #take(repository: string): void {
    this.#busy++;
    this.#running.set(repository, this.#runningOf(repository) + 1);
  }

  #leave(repository: string): void {
    this.#busy--;
    const rest = this.#runningOf(repository) - 1;
    if (rest > 0) this.#running.set(repository, rest);
    else this.#running.delete(repository);
    this.#admit();
  }

  /** Repositories with the fewest scripts come first, then the longest wait. */
  #admit(): void {
    const [next] = this.#waiting
      .filter(({ repository }) => this.#isFree(repository))
      .sort((a, b) => this.#runningOf(a.repository) - this.#runningOf(b.repository));
    if (!next) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    next.enter();
    this.#admit();
  }

  #isFree(repository: string): boolean {
    const { threads, perRepository, reserve } = this.#limits;
    const running = this.#runningOf(repository);
    return running < perRepository && this.#busy < threads + (running === 0 ? reserve : 0);
  }

  #runningOf(repository: string): number {
    return this.#running.get(repository) ?? 0;
  }
}

function tooLong(waitMs: number): SrvError {
  return new SrvError('timeout', `the script was not started: other scripts ran for ${waitMs / 1000} s; repeat the operation`);
}
