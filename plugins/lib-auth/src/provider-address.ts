/** Addresses of identity providers, as configuration gives them. */
import { isHttpAddress } from '@srv/kernel';

/** Over clear text, anyone on the network path could impersonate any user: `http://` only on this machine. */
export function isSafeAddress(text: string): boolean {
  return (
    isHttpAddress(text) && (new URL(text).protocol === 'https:' || ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(text).hostname))
  );
}
