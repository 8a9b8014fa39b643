/** Conditions of a statement. A field the request does not have fails every operator, the negated ones too. */
import { BlockList, isIP } from 'node:net';
import { matches } from './wildcard.js';
import type { Conditions } from './model.js';

/** What conditions may look at. */
export interface RequestFacts {
  /** Address of the caller, without port. */
  readonly SourceIp?: string | undefined;
}

type Operator = (actual: string, values: readonly string[]) => boolean;

const operators: Readonly<Record<string, Operator>> = {
  IpAddress: inAnyNetwork,
  NotIpAddress: (actual, values) => !inAnyNetwork(actual, values),
  StringLike: (actual, values) => values.some(pattern => matches(pattern, actual)),
  StringNotLike: (actual, values) => !values.some(pattern => matches(pattern, actual)),
};

/** Names accepted in `condition`. */
export const operatorNames: readonly string[] = Object.keys(operators);

/** @throws Error for an unknown operator or an invalid address: the request must then be denied. */
export function satisfies(conditions: Conditions, facts: RequestFacts): boolean {
  const known: Readonly<Record<string, string | undefined>> = { SourceIp: facts.SourceIp };
  let satisfied = true;
  for (const [name, fields] of Object.entries(conditions)) {
    const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
    if (!operator) throw new Error(`unknown condition operator ${name}`);
    for (const [field, values] of Object.entries(fields)) {
      const actual = Object.hasOwn(known, field) ? known[field] : undefined;
      if (actual === undefined || actual === '' || !operator(actual, values)) satisfied = false;
    }
  }
  return satisfied;
}

function inAnyNetwork(actual: string, values: readonly string[]): boolean {
  const address = plainAddress(actual);
  const family = familyOf(address);
  return values.map(parseNetwork).some(network => network.check(address, family));
}

/** @throws Error for text that is neither an address nor a network such as `10.0.0.0/8`. */
export function parseNetwork(text: string): BlockList {
  const [address = '', bits] = text.split('/', 2);
  const family = familyOf(address);
  const list = new BlockList();
  if (bits === undefined) {
    list.addAddress(address, family);
    return list;
  }
  const length = /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (!(length <= (family === 'ipv4' ? 32 : 128))) throw new Error(`${text} is not a network`);
  list.addSubnet(address, length, family);
  return list;
}

/** IPv4 peers of an IPv6 socket appear as `::ffff:a.b.c.d`. */
function plainAddress(address: string): string {
  return address.toLowerCase().startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  const version = isIP(address);
  if (version === 0) throw new Error(`${address} is not an IP address`);
  return version === 4 ? 'ipv4' : 'ipv6';
}
