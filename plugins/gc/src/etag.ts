/** Tags that name a state of settings, as clients send them back. */

/** @returns a tag without the quotes that some clients and proxies add. */
export function unquoted(etag: string): string {
  return etag.length > 1 && etag.startsWith('"') && etag.endsWith('"') ? etag.slice(1, -1) : etag;
}
