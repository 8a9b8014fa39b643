/** Posts to the configured address. Failures are not an operator's concern: they are logged at level debug. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@srv/kernel';
import type { Logger } from '@srv/kernel';

/** Milliseconds until an attempt is given up, and before it is repeated. */
const timeout = 10_000;
const pause = 500;
const attempts = 3;

export class Sender {
  readonly #address: string;
  readonly #log: Logger;
  readonly #stop: AbortSignal;

  /** @param stop aborted when no further attempt should be made. */
  constructor(address: string, log: Logger, stop: AbortSignal) {
    this.#address = address.replace(/(?<!\/)\/+$/, '');
    this.#log = log;
    this.#stop = stop;
  }

  /** @returns whether the receiver took it. */
  async post(path: string, body: object): Promise<boolean> {
    const url = `${this.#address}/${path}`;
    // The rest of an address may hold a token.
    const to = new URL(url).origin;
    for (let attempt = 1; attempt <= attempts; attempt++) {
      try {
        const { status } = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(timeout),
        }).then(async response => {
          await response.body?.cancel();
          return response;
        });
        if (status < 300) return true;
        this.#log.debug({ to, path, status, attempt }, 'statistics were not accepted');
        // Repeating what is refused does not help.
        if (status < 500 && status !== 429) return false;
      } catch (error) {
        this.#log.debug({ to, path, attempt, error: messageOf(error) }, 'cannot send statistics');
      }
      if (this.#stop.aborted || attempt === attempts) return false;
      await sleep(pause * attempt, undefined, { signal: this.#stop }).catch(() => undefined);
    }
    return false;
  }
}
