/** Which requests are WebDAV's. */
import type { IncomingMessage } from 'node:http';

export const base = '/dav';

/**
 * Everything below `/dav`; of the root what Windows asks before it asks for the path, which no other face answers. A preflight
 * request of a browser is not that.
 */
export function isDavRequest({ url = '', method, headers }: Pick<IncomingMessage, 'url' | 'method' | 'headers'>): boolean {
  if (url === base || url.startsWith(`${base}/`) || url.startsWith(`${base}?`)) return true;
  if (url !== '/') return false;
  return method === 'PROPFIND' || (method === 'OPTIONS' && headers['access-control-request-method'] === undefined);
}
