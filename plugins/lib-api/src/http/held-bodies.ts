/**
 * Bodies that are held whole, such as JSON: parsed, each takes many times its size, so that the sum of those in work is bounded.
 * Others wait for their turn, but not for long.
 */
import { Readable } from 'node:stream';
import { getHeapStatistics } from 'node:v8';
import { SrvError } from '@srv/kernel';
import { isGone } from './http-response.js';
import type { ServerResponse } from 'node:http';

interface HeldBodiesOptions {
  /** One body may be larger: it is then the only one. @bound bytes of all held bodies at a time */
  readonly limit: number;
  /** Milliseconds after which a body is refused. */
  readonly waitMs: number;
}

interface Waiting {
  readonly size: number;
  readonly enter: () => void;
}

/** Who sends a body: the response, or the request itself before it is read. Both end with the connection. */
type Caller = ServerResponse | Readable;

/** Bodies that do not count: there would be as many connections as bodies before they matter. */
const smallBytes = 16 << 10;

export class HeldBodies {
  readonly #options: HeldBodiesOptions;
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>();
  #held = 0;

  constructor(options: HeldBodiesOptions) {
    this.#options = options;
  }

  /** Bytes of the bodies in work. */
  get held(): number {
    return this.#held;
  }

  /**
   * @param size bytes that the body may have.
   * @returns what ends the hold, once; `undefined` for a body that does not count.
   * @throws SrvError `slow_down` when other bodies take too long, `cancelled` when the caller leaves meanwhile.
   */
  async hold(caller: Caller, size: number): Promise<(() => void) | undefined> {
    if (size <= smallBytes) return undefined;
    if (hasLeft(caller)) throw left();
    if (this.#waiting.size === 0 && this.#fits(size)) this.#held += size;
    else await this.#wait(caller, size);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#held -= size;
      this.#admit();
    };
  }

  /** Holds until the response is complete or the caller has left. Otherwise as {@link hold}. */
  async holdFor(response: ServerResponse, size: number): Promise<void> {
    const release = await this.hold(response, size);
    if (!release) return;
    if (!isGone(response)) return void response.once('close', release);
    release();
    throw left();
  }

  #fits(size: number): boolean {
    return this.#held === 0 || this.#held + size <= this.#options.limit;
  }

  #wait(caller: Caller, size: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        caller.off('close', leave);
        this.#waiting.delete(waiting);
      };
      const fail = (error: SrvError): void => {
        end();
        reject(error);
        this.#admit();
      };
      const leave = (): void => fail(left());
      const timer = setTimeout(() => fail(new SrvError('slow_down', 'too many large requests at a time')), this.#options.waitMs);
      const waiting: Waiting = {
        size,
        enter: () => {
          end();
          resolve();
        },
      };
      caller.once('close', leave);
      this.#waiting.add(waiting);
    });
  }

  /** No body overtakes a larger one, which would never get its turn. */
  #admit(): void {
    for (const waiting of this.#waiting) {
      if (!this.#fits(waiting.size)) return;
      this.#held += waiting.size;
      waiting.enter();
    }
  }
}

function hasLeft(caller: Caller): boolean {
  return caller instanceof Readable ? caller.destroyed : isGone(caller);
}

function left(): SrvError {
  return new SrvError('cancelled', 'the caller left while its body waited for its turn');
}

/** Parsed JSON takes up to thirty times its size: half of the memory of the process is left to everything else. */
const parsedFactor = 60;
const leastLimit = 2 << 20;
const mostLimit = 64 << 20;
/** Milliseconds. */
const waitMs = 10_000;
/** What the runtime counts for its young objects at most, three halves of 64 MiB; parsed bodies live longer and do not fit there. */
const youngBytes = 3 * (64 << 20);

/** Of this process: all faces share its memory. */
export const heldBodies = new HeldBodies({
  limit: Math.min(mostLimit, Math.max(leastLimit, Math.floor((getHeapStatistics().heap_size_limit - youngBytes) / parsedFactor))),
  waitMs,
});

/** Bytes of a body that anyone may send. */
export const maxAnonymousBody = 64 << 10;
/** Bytes of all of them that are held at a time. */
const anonymousLimit = 1 << 20;

/** Of callers that are not known yet: connections of theirs that send nothing do not keep others from sending large bodies. */
export const anonymousBodies = new HeldBodies({ limit: anonymousLimit, waitMs });
