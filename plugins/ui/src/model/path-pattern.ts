/** Patterns that objects are found by, in a folder and all folders below it. */
import { GlobError, parseGlob } from '@srv/lib-records/glob';

export interface PathPattern {
  /** Folders that the pattern begins with: only paths below them are looked at. Empty, or with a trailing slash. */
  readonly within: string;
  /** @param path below the folder that is searched. */
  matches(path: string): boolean;
}

/** Characters of a pattern: the time for a path grows with them. */
const mostCharacters = 200;

/** Any other text is a part of a name. */
export function isPattern(text: string): boolean {
  return text.includes('*') || text.includes('?');
}

/**
 * `*` and `?` stay within a name, `**` does not. A pattern without a slash is for names in all folders. Upper and lower case are
 * the same, but in folders before the first wildcard.
 * @throws GlobError
 */
export function parsePathPattern(text: string): PathPattern {
  if (text.length > mostCharacters) throw new GlobError(`it is longer than ${mostCharacters} characters`);
  const pattern = text.startsWith('/') ? text.slice(1) : text;
  const glob = parseGlob(pattern.toLowerCase(), { separator: '/', globstar: true });
  if (!text.includes('/')) return { within: '', matches: path => glob.matches(path.slice(path.lastIndexOf('/') + 1).toLowerCase()) };
  const wildcard = [...pattern].findIndex(isPattern);
  const within = pattern.slice(0, pattern.lastIndexOf('/', wildcard < 0 ? pattern.length : wildcard) + 1);
  return { within, matches: path => glob.matches(path.toLowerCase()) };
}
