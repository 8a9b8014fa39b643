/** The context of one request: the caller, and what they may do. */

import { SrvError } from '@srv/kernel';
import { demand } from '@srv/lib-api';
import { RequestQuestion, isGone, sourceIp, wasSent } from '@srv/lib-api/http';
import type { Exchange, HttpService } from '@srv/http/contract';
import type { Activity, Decision, Identity, Logger, Permission, ServiceRegistry, User } from '@srv/kernel';
import type { OperationContext } from '@srv/lib-api';

/** What all requests share. */
export interface ApiParts {
  readonly services: ServiceRegistry;
  readonly identity: Identity;
  readonly http: HttpService;
  readonly log: Logger;
  /** Counts what an admitted request asks for. */
  readonly count: (activity: Activity) => void;
}

/** The text that web pages and tools compare to distinguish "log in again" from "you may not". */
export function notAuthenticated(): SrvError {
  return new SrvError('unauthenticated', 'error authenticating request');
}

export class RequestContext implements OperationContext {
  readonly services: ServiceRegistry;
  readonly headers: OperationContext['headers'];
  readonly headerLines: OperationContext['headerLines'];
  readonly secure: boolean;
  readonly caller: User | undefined;
  readonly #parts: ApiParts;
  readonly #exchange: Exchange;
  #leaving: AbortController | undefined;
  #log: Logger | undefined;

  constructor(parts: ApiParts, exchange: Exchange, caller: User | undefined) {
    this.#parts = parts;
    this.#exchange = exchange;
    this.services = parts.services;
    this.caller = caller;
    this.headers = exchange.request.headers;
    this.headerLines = exchange.request.rawHeaders;
    this.secure = exchange.secure || this.headers['x-forwarded-proto'] === 'https';
  }

  /** Created on first use: most requests log nothing. */
  get log(): Logger {
    this.#log ??= this.#parts.log.child({
      request_id: this.#exchange.requestId,
      ...(this.caller ? { user: this.caller.username } : {}),
    });
    return this.#log;
  }

  get sourceIp(): string {
    return sourceIp(this.#exchange.remoteAddress, this.headers);
  }

  get user(): User {
    if (!this.caller) throw notAuthenticated();
    return this.caller;
  }

  get committer(): string {
    return this.user.email || this.user.username;
  }

  get signal(): AbortSignal {
    if (!this.#leaving) {
      const leaving = new AbortController();
      const { request, response } = this.#exchange;
      response.once('close', () => {
        if (!wasSent(request, response)) leaving.abort();
      });
      if (isGone(response)) leaving.abort();
      this.#leaving = leaving;
    }
    return this.#leaving.signal;
  }

  // Functions rather than methods: handlers take them out of the context.
  readonly decide = (permission: Permission): Promise<Decision> => {
    const asked = new RequestQuestion(this.user, permission, this.#exchange.remoteAddress, this.headers);
    return this.#parts.identity.authorize(asked);
  };

  readonly describe = (error: unknown) => this.#parts.http.describe(error);

  /** @param hidden whether its resources are not those of the request. @throws SrvError `denied` that says what is missing. */
  async demand(permission: Permission, hidden = false): Promise<void> {
    if (!hidden) return demand(this.decide, permission);
    const { allowed, reason = 'insufficient permissions: not allowed' } = await this.decide(permission);
    if (!allowed) throw new SrvError('denied', reason);
  }
}
