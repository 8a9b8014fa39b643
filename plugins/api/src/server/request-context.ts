/** The context of one request: who asks, and what they may. */
import { SrvError } from '@srv/kernel';
import { RequestQuestion } from '@srv/http/source-ip';
import type { AuthService } from '@srv/auth/contract';
import type { Catalog } from '@srv/catalog/contract';
import type { Imports } from '@srv/import/contract';
import type { Exchange, HttpService } from '@srv/http/contract';
import type { BlockStore, Decision, Hooks, Logger, Permission, User } from '@srv/kernel';
import type { OperationContext, ServerFacts } from '../context.js';

/** What all requests share. */
export interface ApiParts {
  readonly hooks: Pick<Hooks, 'authenticate' | 'authorize'>;
  readonly catalog: Catalog;
  readonly imports: Imports | undefined;
  readonly auth: AuthService;
  readonly block: BlockStore;
  readonly http: HttpService;
  readonly facts: ServerFacts;
  readonly log: Logger;
}

/** The text web pages and tools compare to tell "log in again" from "you may not". */
export function notAuthenticated(): SrvError {
  return new SrvError('unauthenticated', 'error authenticating request');
}

export class RequestContext implements OperationContext {
  readonly catalog: Catalog;
  readonly imports: Imports | undefined;
  readonly auth: AuthService;
  readonly block: BlockStore;
  readonly facts: ServerFacts;
  readonly headers: OperationContext['headers'];
  readonly secure: boolean;
  readonly caller: User | undefined;
  readonly #parts: ApiParts;
  readonly #exchange: Exchange;
  #leaving: AbortController | undefined;
  #log: Logger | undefined;

  constructor(parts: ApiParts, exchange: Exchange, caller: User | undefined) {
    this.#parts = parts;
    this.#exchange = exchange;
    this.catalog = parts.catalog;
    this.imports = parts.imports;
    this.auth = parts.auth;
    this.block = parts.block;
    this.facts = parts.facts;
    this.caller = caller;
    this.headers = exchange.request.headers;
    this.secure = exchange.secure || this.headers['x-forwarded-proto'] === 'https';
  }

  /** Made when somebody has something to say: most requests are silent. */
  get log(): Logger {
    this.#log ??= this.#parts.log.child({
      request_id: this.#exchange.requestId,
      ...(this.caller ? { user: this.caller.username } : {}),
    });
    return this.#log;
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
      const { response } = this.#exchange;
      response.once('close', () => {
        if (!response.writableFinished) leaving.abort();
      });
      if (response.destroyed) leaving.abort();
      this.#leaving = leaving;
    }
    return this.#leaving.signal;
  }

  // Functions rather than methods: handlers take them out of the context.
  readonly decide = async (permission: Permission): Promise<Decision> => {
    const asked = new RequestQuestion(this.user, permission, this.#exchange.remoteAddress, this.headers);
    return (await this.#parts.hooks.authorize.promise(asked)) ?? { allowed: false };
  };

  readonly describe = (error: unknown) => this.#parts.http.describe(error);

  /** @throws SrvError `denied` that says what is missing. */
  async demand(permission: Permission): Promise<void> {
    const { allowed, reason } = await this.decide(permission);
    if (!allowed) throw new SrvError('denied', reason ?? 'insufficient permissions: not allowed');
  }
}
