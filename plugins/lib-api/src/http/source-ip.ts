/** Address of the caller. What proxies say about it counts if they are configured. */
import { isIP } from 'node:net';
import { Networks, plainAddress } from '@srv/kernel';
import type { AuthorizationRequest, Permission, User } from '@srv/kernel';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What proxies note about the connection to them. */
const notes = ['x-forwarded-for', 'x-real-ip', 'x-forwarded-proto', 'x-forwarded-ssl'] as const;

/** The proxies of an installation. */
export class Proxies {
  readonly #networks: Networks;

  /** @param networks as in `http.trusted_proxies`. @throws Error that names a value which is neither address nor network. */
  constructor(networks: readonly string[]) {
    this.#networks = new Networks(networks);
  }

  /**
   * Leaves only what counts of the forwarding headers in `headers`: nothing if the peer is not a proxy of ours; else `X-Forwarded-For` with
   * the one address of the caller, and `X-Forwarded-Proto`. Later readers of the headers may rely on them.
   */
  settle(peer: string, headers: Record<string, string | string[] | undefined>): void {
    if (notes.every(name => headers[name] === undefined)) return;
    const said = { ...headers };
    for (const name of notes) delete headers[name];
    if (!this.#has(peer)) return;
    headers['x-forwarded-for'] = this.#callerOf(said) ?? plainAddress(peer);
    const scheme = first(said['x-forwarded-proto']);
    if (scheme === 'https' || said['x-forwarded-ssl'] === 'on') headers['x-forwarded-proto'] = 'https';
    else if (scheme !== '') headers['x-forwarded-proto'] = scheme;
  }

  /** The last hop that is not a proxy of ours: those before it are what the caller says. */
  #callerOf(headers: Headers): string | undefined {
    let nearest: string | undefined;
    for (const hop of textOf(headers['x-forwarded-for']).split(',').toReversed()) {
      const address = addressOf(hop);
      if (address === undefined) break;
      nearest = address;
      if (!this.#has(address)) return address;
    }
    return nearest ?? addressOf(textOf(headers['x-real-ip']));
  }

  #has(address: string): boolean {
    return isIP(plainAddress(address)) !== 0 && this.#networks.has(address);
  }
}

/** The caller of a request whose headers {@link Proxies.settle} has seen. @param peer the other end of the connection. */
export function sourceIp(peer: string, headers: Headers): string {
  const forwarded = headers['x-forwarded-for'];
  return typeof forwarded === 'string' ? forwarded : plainAddress(peer);
}

/** For log lines: the address of the caller; with the port of the connection if there is no proxy. */
export function sourceText(peer: string, port: number | undefined, headers: Headers): string {
  const forwarded = headers['x-forwarded-for'];
  return typeof forwarded === 'string' ? forwarded : `${peer}:${port ?? ''}`;
}

/** A question to the policies about a request. */
export class RequestQuestion implements AuthorizationRequest {
  readonly user: User;
  readonly permission: Permission;
  readonly #peer: string;
  readonly #headers: Headers;

  /** @param peer address of the other end of the connection. */
  constructor(user: User, permission: Permission, peer: string, headers: Headers) {
    this.user = user;
    this.permission = permission;
    this.#peer = peer;
    this.#headers = headers;
  }

  get sourceIp(): string {
    return sourceIp(this.#peer, this.#headers);
  }
}

function textOf(header: string | string[] | undefined): string {
  return Array.isArray(header) ? header.join(',') : (header ?? '');
}

/** Of a list that proxies have appended to: what the first one was asked with. */
function first(header: string | string[] | undefined): string {
  return (textOf(header).split(',', 1)[0] ?? '').trim().toLowerCase();
}

/** Some proxies add the port. */
function addressOf(hop: string): string | undefined {
  const text = hop.trim();
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  return isIP(bare) === 0 ? undefined : plainAddress(bare);
}
