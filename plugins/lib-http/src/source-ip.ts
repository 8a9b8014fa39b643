/** Address of the caller for conditions of policies. */
import { BlockList, isIP } from 'node:net';
import type { AuthorizationRequest, Permission, User } from '@srv/kernel';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Networks a proxy of ours would be in. */
const near = new BlockList();
near.addSubnet('127.0.0.0', 8, 'ipv4');
near.addSubnet('10.0.0.0', 8, 'ipv4');
near.addSubnet('172.16.0.0', 12, 'ipv4');
near.addSubnet('192.168.0.0', 16, 'ipv4');
near.addSubnet('169.254.0.0', 16, 'ipv4');
near.addSubnet('100.64.0.0', 10, 'ipv4');
near.addAddress('::1', 'ipv6');
near.addSubnet('fc00::', 7, 'ipv6');
near.addSubnet('fe80::', 10, 'ipv6');

/**
 * The peer; or, when the peer is in a private network and so may be a proxy, the last public address that proxies have
 * noted. A caller cannot pick its address by sending the header itself.
 */
export function sourceIp(peer: string, headers: Headers): string {
  const address = plain(peer);
  if (!isNear(address)) return address;
  const forwarded = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map(part => plain(part.trim()))
    .filter(part => isIP(part) !== 0);
  const real = plain(String(headers['x-real-ip'] ?? '').trim());
  return forwarded.findLast(hop => !isNear(hop)) ?? forwarded[0] ?? (isIP(real) !== 0 ? real : address);
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

  /** Found out when somebody looks at it, which few policies do. */
  get sourceIp(): string {
    return sourceIp(this.#peer, this.#headers);
  }
}

function plain(address: string): string {
  return address.toLowerCase().startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}

/** Answers for peers that have just asked: a check makes several objects, and the same few peers ask all the time. */
const known = new Map<string, boolean>();
const maxKnown = 1000;

function isNear(address: string): boolean {
  const answer = known.get(address);
  if (answer !== undefined) return answer;
  const version = isIP(address);
  const found = version !== 0 && near.check(address, version === 4 ? 'ipv4' : 'ipv6');
  if (known.size >= maxKnown) known.clear();
  known.set(address, found);
  return found;
}
