/** The second word of a request line. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/**
 * Clients of a proxy send whole URLs. All that follows sees the path alone, and the URL's host in place of the Host header
 * (RFC 9112, section 3.2.2); without a path, OPTIONS asks about the whole server (section 3.2.4).
 * @returns false when the target is neither a path, nor an http URL, nor `*` of OPTIONS.
 */
export function reduceTarget(request: IncomingMessage): boolean {
  const { url = '', method, headers, rawHeaders } = request;
  if (url.startsWith('/') || (url === '*' && method === 'OPTIONS')) return true;
  const [start, authority = ''] = /^https?:\/\/([^/?#]+)/i.exec(url) ?? [];
  if (start === undefined) return false;
  const rest = url.slice(start.length);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  headers.host = host;
  for (const line of hostLines(rawHeaders)) rawHeaders[line + 1] = host;
  if (rest === '') request.url = method === 'OPTIONS' ? '*' : '/';
  else request.url = rest.startsWith('/') ? rest : `/${rest}`;
  return true;
}

/** Where in the raw lines the names of Host headers are. */
export function hostLines(rawHeaders: readonly string[]): number[] {
  const found: number[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') found.push(i);
  }
  return found;
}

/** Whether the escapes of the query are UTF-8. Of others one name would stand for many: each is decoded as the same character. */
export function hasTextQuery(url: string): boolean {
  const at = url.indexOf('?');
  if (at < 0) return true;
  // Escapes of ASCII are UTF-8, and the parser lets no other byte of a character through than an escaped one.
  const runs = url.slice(at + 1).match(/(?:%[89a-f][0-9a-f])+/gi) ?? [];
  return runs.every(run => isUtf8(Buffer.from(run.replaceAll('%', ''), 'hex')));
}
