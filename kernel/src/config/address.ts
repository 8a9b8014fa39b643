/** Addresses of services in configuration. */

/**
 * Whether requests can be sent to it. A user or password is refused: `fetch` does not accept such an address, and its error
 * shows both.
 */
export function isHttpAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '';
}

/** For messages: with `******` for user and password, even of text that is not an address. */
export function withoutPassword(text: string): string {
  const at = text.lastIndexOf('@');
  const start = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0] ?? '';
  return at < start.length ? text : `${start}******${text.slice(at)}`;
}
