/** Networks and addresses in configuration and policies. */
import { BlockList, isIP } from 'node:net';

/** Addresses of some networks. */
export class Networks {
  readonly #list = new BlockList();

  /** @param networks addresses, and networks such as `10.0.0.0/8`. @throws Error that names the one that is neither. */
  constructor(networks: readonly string[]) {
    for (const network of networks) this.#add(network);
  }

  /** @throws Error for text that is not an address. */
  has(address: string): boolean {
    const plain = plainAddress(address);
    return this.#list.check(plain, familyOf(plain));
  }

  #add(network: string): void {
    const [address = '', bits] = network.split('/', 2);
    const family = familyOf(address);
    if (bits === undefined) {
      this.#list.addAddress(address, family);
      return;
    }
    const length = /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
    if (!(length <= (family === 'ipv4' ? 32 : 128))) throw new Error(`${network} is not a network`);
    this.#list.addSubnet(address, length, family);
  }
}

/** IPv4 peers of an IPv6 socket appear as `::ffff:a.b.c.d`. */
export function plainAddress(address: string): string {
  return address.toLowerCase().startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  const version = isIP(address);
  if (version === 0) throw new Error(`${address} is not an IP address`);
  return version === 4 ? 'ipv4' : 'ipv6';
}
