/** The URL by which a client on the same machine reaches the server. */
import type { Kernel } from '@srv/kernel';

/** What this program needs of the service `http`, whichever plugin provides it. */
interface Listener {
  address(): { readonly url: string };
}

/** `undefined` when no plugin listens. */
export function serverUrl({ services }: Kernel): string | undefined {
  const listener = (services as { find(name: string): unknown }).find('http') as Listener | undefined;
  return listener?.address().url;
}
