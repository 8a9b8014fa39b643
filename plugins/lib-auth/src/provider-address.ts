/** Addresses of identity providers and of this server for browsers, as configuration gives them. */

export function isHttpAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Over clear text, anyone on the network path could impersonate any user: `http://` only on this machine. */
export function isSafeAddress(text: string): boolean {
  return (
    isHttpAddress(text) && (new URL(text).protocol === 'https:' || ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(text).hostname))
  );
}
