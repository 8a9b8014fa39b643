/** Waiting for a task that the server runs in the background. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isSrvError } from '@srv/kernel';
import { UsageError, isAnswerError } from './failures.js';
import type { OptionValue } from './arguments.js';

export interface TaskState {
  /** Over, well or not. */
  readonly done: boolean;
  /** RFC 3339; advances while the work continues. */
  readonly updatedAt: string;
  readonly error?: string | undefined;
}

export interface PollOptions {
  /** Milliseconds between two polls. */
  readonly interval: number;
  /** Milliseconds without any progress; negative waits for ever. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** The work ended with a failure of its own. */
export class TaskFailure extends Error {}

/** The work made no progress for too long. */
export class TaskStalled extends Error {}

const transientStatuses = [429, 500, 502, 503, 504];

/** Failures of the moment, the server's or the connection's; a refusal stays one. */
export function isTransient(error: unknown): boolean {
  if (isAnswerError(error)) return transientStatuses.includes(error.status);
  return isSrvError(error, 'unavailable', 'slow_down');
}

/**
 * Polls until the task has ended. A transient failure of a poll does not affect the task, which continues.
 * @returns the state that the last poll returned.
 * @throws TaskFailure with the server's words, TaskStalled when nothing moved for `timeout`.
 */
export async function awaitTask<T extends TaskState>(poll: () => Promise<T>, { interval, timeout, signal }: PollOptions): Promise<T> {
  let seen = '';
  let movedAt = Date.now();
  for (;;) {
    const state = await poll().catch((error: unknown) => {
      if (isTransient(error)) return undefined;
      throw error;
    });
    if (state?.error !== undefined && state.error !== '') throw new TaskFailure(state.error);
    if (state?.done) return state;
    if (state !== undefined && state.updatedAt !== seen) {
      seen = state.updatedAt;
      movedAt = Date.now();
    } else if (timeout >= 0 && Date.now() - movedAt >= timeout) throw new TaskStalled('task not completed: no progress within --timeout');
    await sleep(interval, undefined, { signal });
  }
}

export const pollIntervalOption = {
  name: 'poll-interval',
  type: 'duration',
  default: 3000,
  description: 'time between two polls of the task, at least 1s',
} as const;
export const timeoutOption = {
  name: 'timeout',
  type: 'duration',
  default: 3_600_000,
  description: 'time without progress after which to give up; negative waits for ever',
} as const;

/** @throws UsageError for an interval below one second. */
export function pollOptions(options: Readonly<Record<string, OptionValue>>, signal: AbortSignal): PollOptions {
  const [interval, timeout] = [Number(options['poll-interval']), Number(options.timeout)];
  if (interval < 1000) throw new UsageError(`--poll-interval: ${interval} ms is too short; poll intervals are at least 1s`);
  return { interval, timeout, signal };
}
