/** The caller of a change, as hooks see it. */
import type { OperationContext } from '@srv/lib-operations';

interface ChangeOptions {
  readonly user: string;
  /** Aborted when the caller leaves. Following a caller takes time: it begins when somebody reads this. */
  readonly signal: AbortSignal;
}

/** @param more of the request. */
export function changeOptions<T extends object>(context: OperationContext, more: T): ChangeOptions & T {
  return {
    user: context.user.username,
    get signal() {
      return context.signal;
    },
    ...more,
  };
}
