/** A request to a face other than the HTTP API: its caller, what they may do, and whether they still wait. */
import { SrvError } from '@srv/kernel';
import { wasSent } from './exchange.js';
import { isGone } from './http-response.js';
import { RequestQuestion, sourceIp } from './source-ip.js';
import type { Credentials, Decision, Identity, Permission, User } from '@srv/kernel';
import type { Exchange } from './exchange.js';

export class FaceRequest {
  readonly exchange: Exchange;
  readonly user: User;
  readonly #identity: Identity;
  #leaving: AbortController | undefined;

  private constructor(exchange: Exchange, identity: Identity, user: User) {
    this.exchange = exchange;
    this.#identity = identity;
    this.user = user;
  }

  /**
   * Identifies the caller. Cookies do not count: pages of other sites could send them here.
   * @param credentialsOf finds credentials in the header `Authorization`.
   * @throws SrvError `unauthenticated` without credentials, and with bad ones.
   */
  static async identify(
    exchange: Exchange,
    identity: Identity,
    credentialsOf: (authorization: string, from: () => string) => Credentials | undefined,
  ): Promise<FaceRequest> {
    const { cookie: _, ...headers } = exchange.request.headers;
    const credentials = credentialsOf(headers.authorization ?? '', () => sourceIp(exchange.remoteAddress, headers));
    const user = await identity.authenticate(credentials ?? { kind: 'headers', headers });
    if (!user) throw new SrvError('unauthenticated', 'error authenticating request');
    exchange.user = user.username;
    return new FaceRequest(exchange, identity, user);
  }

  /** By which commits name the caller. */
  get committer(): string {
    return this.user.email || this.user.username;
  }

  /** Aborted when the caller leaves. */
  get signal(): AbortSignal {
    if (!this.#leaving) {
      const leaving = new AbortController();
      const { request, response } = this.exchange;
      response.once('close', () => {
        if (!wasSent(request, response)) leaving.abort();
      });
      if (isGone(response)) leaving.abort();
      this.#leaving = leaving;
    }
    return this.#leaving.signal;
  }

  /** Asks a client that waits for `100 Continue` for its body. Reject the request before. */
  acceptBody(): void {
    const { request, response } = this.exchange;
    if (request.headers.expect !== undefined) response.writeContinue();
  }

  decide(permission: Permission): Promise<Decision> {
    const { remoteAddress, request } = this.exchange;
    return this.#identity.authorize(new RequestQuestion(this.user, permission, remoteAddress, request.headers));
  }

  async may(permission: Permission): Promise<boolean> {
    return (await this.decide(permission)).allowed;
  }

  /** @throws SrvError `denied` that says what is missing. */
  async demand(permission: Permission): Promise<void> {
    const { allowed, reason } = await this.decide(permission);
    if (!allowed) throw new SrvError('denied', reason ?? 'insufficient permissions: not allowed');
  }

  /** For lists: whether the caller sees a resource. @throws SrvError `denied` when the caller may do `action` on nothing. */
  visibility(action: string): Promise<(resource: string) => boolean> {
    return this.#identity.visibility(this.user, action);
  }
}
