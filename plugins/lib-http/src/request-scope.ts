/** Which request the running code works for, for code that calls other services on its behalf. */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface RequestScope {
  readonly requestId: string;
}

/** Following requests slows every one of them down: nobody does it unasked. */
let following: AsyncLocalStorage<RequestScope> | undefined;

/** From now on {@link currentRequest} answers. */
export function followRequests(): void {
  following ??= new AsyncLocalStorage();
}

/** What runs from here on runs for `scope`. For listeners, as a request begins. */
export function enterRequest(scope: RequestScope): void {
  following?.enterWith(scope);
}

/** The request that is being answered; `undefined` outside of one, and where nobody follows. */
export function currentRequest(): RequestScope | undefined {
  return following?.getStore();
}
