/** Optimistic concurrency: try, wait a little longer each time, give up with a clear error. */
import { setTimeout } from 'node:timers/promises';
import { SrvError } from '@srv/kernel';

/** Tries of an update that others may win against. */
export const updateTries = 10;
/** Milliseconds: first wait, its growth, and the longest. */
const wait = { first: 50, factor: 1.5, longest: 5000 };

/**
 * Calls `attempt` until it returns something.
 * @throws SrvError `too_many_tries` naming `what` after {@link updateTries} tries.
 */
export async function withRetries<T>(what: string, attempt: () => Promise<T | undefined>): Promise<T> {
  let pause = wait.first;
  for (let tries = 1; ; tries++) {
    const result = await attempt();
    if (result !== undefined) return result;
    if (tries === updateTries) throw new SrvError('too_many_tries', `${what}: too many tries (${tries}); others kept changing it`);
    await setTimeout(pause * (0.5 + Math.random()));
    pause = Math.min(pause * wait.factor, wait.longest);
  }
}
