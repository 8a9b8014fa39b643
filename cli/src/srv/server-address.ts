/** How a client on the same machine reaches the server. */
import type { Kernel } from '@srv/kernel';

/** What this program needs of the service `http`, whichever plugin provides it. */
interface Listener {
  address(): ServerAddress;
}

export interface ServerAddress {
  readonly url: string;
  /** With TLS: what the server shows, and the file it is in. */
  readonly certificate?: { readonly file: string; readonly pem: string } | undefined;
}

/** `undefined` when no plugin listens. */
export function serverAddress({ services }: Kernel): ServerAddress | undefined {
  const listener = (services as { find(name: string): unknown }).find('http') as Listener | undefined;
  return listener?.address();
}
