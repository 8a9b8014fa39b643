/**
 * Names in paths. Some clients escape them twice, and the servers they were made for decode twice. A name is therefore
 * decoded once more after the router did, unless it would not be valid then. What comes out is the name: validation,
 * permission and handler see nothing else.
 */

/** @param routed a segment of a path, decoded once. */
export function decodeName(routed: string): string {
  return decoded(routed) ?? routed;
}

/** One segment of a path from which the server gets `name`. Escaped twice only where once would not do. */
export function encodeName(name: string): string {
  const once = encodeURIComponent(name);
  return (decoded(name) ?? name) === name ? once : encodeURIComponent(once);
}

/** `undefined` for what holds a `%` that begins no escape, or bytes that are not UTF-8. */
function decoded(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
