/** Whether the user may do something, asked before a control is offered. */

import { useAsync } from './async-data.js';
import { offers } from './boot.js';
import { Refusal, SessionEnded, ask } from './client.js';
import { onPersonChange } from './person.js';
import { guards } from './registry.js';
import type { Input } from './client.js';
import type { GuardedBranch } from './registry.js';

/** Asked once per loaded page and user: rights seldom change meanwhile. */
const asked = new Map<string, Promise<string | undefined>>();
const mostAsked = 500;
onPersonChange(() => asked.clear());

async function preflight(operationId: string, input: Input): Promise<string | undefined> {
  try {
    await ask(operationId, input);
    return undefined;
  } catch (error) {
    // The end of a session says nothing about rights: they are asked for again after the next login.
    if (error instanceof SessionEnded) asked.clear();
    else if (error instanceof Refusal && (error.status === 401 || error.status === 403)) return error.message;
    // Anything but a clear no is left to the operation itself.
    return undefined;
  }
}

/**
 * @param operationId a preflight of the API; without it everything is offered.
 * @param input `undefined`: nothing to ask about.
 * @returns why not; `undefined` where it is allowed, or not known yet.
 */
export function useRefusal(operationId: string, input: Input | undefined): string | undefined {
  const key = JSON.stringify([operationId, input]);
  const answer = useAsync(async () => {
    if (input === undefined || !offers(operationId)) return undefined;
    let found = asked.get(key);
    if (!found) {
      if (asked.size >= mostAsked) asked.clear();
      found = preflight(operationId, input);
      asked.set(key, found);
    }
    return found;
  }, [key]);
  return answer.state === 'ready' ? answer.value : undefined;
}

/**
 * @param action that a control does, such as `fs:CreateCommit`.
 * @param resource what it does it to; absent: it is not known yet, and a user who may do it to anything may click.
 * @returns as {@link useRefusal}.
 */
export function useDenial(action: string, resource?: string): string | undefined {
  return useRefusal('permissionPreflight', { action, ...(resource === undefined ? {} : { resource }) });
}

/** @returns why the branch cannot be changed directly, as far as the features of this server know. One that fails knows nothing. */
export function useGuards(repository: string, branch: string | undefined): GuardedBranch | undefined {
  const answer = useAsync(
    async signal => {
      if (branch === undefined) return undefined;
      const found = await Promise.all(guards.value.map(({ check }) => check(repository, branch, signal).catch(() => undefined)));
      return found.find(guarded => guarded !== undefined);
    },
    [repository, branch],
  );
  return answer.state === 'ready' ? answer.value : undefined;
}
