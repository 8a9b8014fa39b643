/** How often a caller may try to log in: after a few failures in a row, each further one costs a longer wait. */
import { SrvError } from '@srv/kernel';
import { LRUCache } from 'lru-cache';
import { RunningAttempts } from './running-attempts.js';

/** Failures that cost nothing, and the longest wait in milliseconds, by what is counted. */
const rules = {
  /** One name from one address: guessing a password. */
  pair: { free: 5, longest: 60_000 },
  /** One address with any names: trying many. Many users may share an address. */
  address: { free: 50, longest: 60_000 },
  /** One name from anywhere: short waits, since they hit its owner, too. */
  name: { free: 20, longest: 30_000 },
} as const;

type Counted = keyof typeof rules;

interface Failures {
  /** Milliseconds since 1970: when the period began that `count` is of. */
  readonly since: number;
  readonly count: number;
  /** Of the period before. */
  readonly before: number;
  /** Milliseconds since 1970. */
  readonly waitUntil: number;
}

/** Addresses may be made up; the oldest are forgotten first. @bound names and addresses with failed logins */
const mostRemembered = 20_000;
/** Milliseconds of a period: failures count in theirs, and less and less in the next one. */
const period = 15 * 60_000;

export class LoginLimits {
  readonly #failures = new LRUCache<string, Failures>({ max: mostRemembered, ttl: period });
  readonly #running = new RunningAttempts();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /**
   * Makes an attempt to log in and counts its failure. At most as many run at once as may fail without a wait: further ones
   * begin when others have ended, unless those have caused a wait.
   * @param from address of the caller, where known.
   * @param work `undefined`: the attempt failed. What it throws is not a failure of the caller.
   * @throws SrvError `too_many_tries` while a wait is on.
   */
  async attempt<T>(name: string, from: string | undefined, work: () => Promise<T | undefined>): Promise<T | undefined> {
    const keys = keysOf(name, from);
    this.check(name, from);
    for (let full = this.#fullOf(keys); full !== undefined; full = this.#fullOf(keys)) {
      await this.#running.nextEnd(full);
      this.check(name, from);
    }
    for (const [, key] of keys) this.#running.begin(key);
    try {
      const result = await work();
      if (result === undefined) this.failed(name, from);
      else this.succeeded(name, from);
      return result;
    } finally {
      for (const [, key] of keys) this.#running.end(key);
    }
  }

  /** @throws SrvError `too_many_tries` while a wait is on. @param from address of the caller, where known. */
  check(name: string, from: string | undefined): void {
    const now = this.#now();
    const until = Math.max(...keysOf(name, from).map(([, key]) => this.#failures.get(key)?.waitUntil ?? 0));
    if (until <= now) return;
    const wait = Math.ceil((until - now) / 1000);
    throw new SrvError('too_many_tries', `too many failed attempts to log in: try again in ${wait} s`, {
      details: { note: `too many failed attempts to log in, wait ${wait} s` },
    });
  }

  failed(name: string, from: string | undefined): void {
    for (const [counted, key] of keysOf(name, from)) {
      const failed = this.#countOf(key) + 1;
      const { free, longest } = rules[counted];
      const wait = failed < free ? 0 : Math.min(longest, 1000 * 2 ** Math.min(failed - free, 16));
      const { since, count, before } = this.#periodsOf(key);
      this.#failures.set(key, { since, count: count + 1, before, waitUntil: this.#now() + wait });
    }
  }

  /** The key by which no further attempt may run now. */
  #fullOf(keys: readonly [Counted, string][]): string | undefined {
    const full = keys.find(([counted, key]) => {
      const room = rules[counted].free - this.#countOf(key);
      return this.#running.count(key) >= Math.max(1, room);
    });
    return full?.[1];
  }

  /** Failures that count now. */
  #countOf(key: string): number {
    const { since, count, before } = this.#periodsOf(key);
    const passed = Math.max(0, this.#now() - since) / period;
    return Math.floor(count + before * (1 - passed));
  }

  /** The failures of the present period and of the one before. */
  #periodsOf(key: string): Omit<Failures, 'waitUntil'> {
    const now = this.#now();
    const { since, count, before } = this.#failures.get(key) ?? { since: now, count: 0, before: 0 };
    const passed = Math.floor((now - since) / period);
    if (passed < 1) return { since, count, before };
    return passed === 1 ? { since: since + period, count: 0, before: count } : { since: now, count: 0, before: 0 };
  }

  /** The name is its caller's: what others tried under it from elsewhere still counts for them. */
  succeeded(name: string, from: string | undefined): void {
    for (const [counted, key] of keysOf(name, from)) if (counted !== 'address') this.#failures.delete(key);
  }
}

/** Spellings that some way to log in takes for one name count as one. */
function keysOf(given: string, from: string | undefined): [Counted, string][] {
  const name = given.normalize('NFKC').trim().toLowerCase();
  const named: [Counted, string] = ['name', `name ${name}`];
  return from === undefined ? [named] : [['pair', `pair ${from} ${name}`], ['address', `address ${from}`], named];
}
