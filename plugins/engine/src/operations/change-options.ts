/** Options of a change, for the events that announce it. */
import type { OperationContext } from '@srv/lib-api';

interface ChangeOptions {
  readonly user: string;
  /** Aborted when the caller disconnects. Watching a caller takes time, so it begins when this is first read. */
  readonly signal: AbortSignal;
}

/** @param more further options of the request. */
export function changeOptions<T extends object>(context: OperationContext, more: T): ChangeOptions & T {
  return {
    user: context.user.username,
    get signal() {
      return context.signal;
    },
    ...more,
  };
}
