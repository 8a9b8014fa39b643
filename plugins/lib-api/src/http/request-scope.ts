/** Which request the running code works for, for code that calls other services on its behalf. */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface RequestScope {
  readonly requestId: string;
}

/** Following requests slows every one of them down, so it is off until a plugin asks for it. */
let following: AsyncLocalStorage<RequestScope> | undefined;

/** From now on {@link currentRequest} answers. */
export function followRequests(): void {
  following ??= new AsyncLocalStorage();
}

/** What runs from here on runs for `scope`. For listeners, as a request begins. */
export function enterRequest(scope: RequestScope): void {
  following?.enterWith(scope);
}

/** The request that is being answered; `undefined` outside of one, and if requests are not followed. */
export function currentRequest(): RequestScope | undefined {
  return following?.getStore();
}
