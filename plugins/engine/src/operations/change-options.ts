/** Options of a change, for the events that announce it. */
import type { OperationContext } from '@srv/lib-api';

interface ChangeOptions {
  readonly user: string;
  /** Aborted when the caller disconnects. Watching a caller takes time, so it begins when this is first read. */
  readonly signal: AbortSignal;
}

/** @param more further options of the request. */
export function changeOptions<T extends object>(context: OperationContext, more: T): ChangeOptions & T {
  return Object.assign(new RequestedChange(context), more);
}

class RequestedChange implements ChangeOptions {
  readonly user: string;
  readonly #context: OperationContext;

  constructor(context: OperationContext) {
    this.user = context.user.username;
    this.#context = context;
  }

  get signal(): AbortSignal {
    return this.#context.signal;
  }
}
