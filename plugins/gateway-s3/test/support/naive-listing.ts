/** What a listing with a prefix, a delimiter and a marker must show: computed from all keys, one by one. */

export const delimiters = ['/', '//', 'ü', '€', '//a', '/a/', '😀', '////'];
export const keys = [
  'a',
  'a/',
  'a/a',
  'a//a',
  'a///b',
  'a////',
  'ab',
  'ac',
  'aüb',
  'a€b',
  'a😀b',
  'b',
  'b/a/',
  'b/a/a',
  'c//',
  'main',
  'ü',
  '😀',
];
const bytesOf = (text: string): Buffer => Buffer.from(text, 'utf8');
const byBytes = (a: string, b: string): number => Buffer.compare(bytesOf(a), bytesOf(b));

/** Markers are keys, parts of keys that end at a character, and what follows them. */
export const markers = [
  ...new Set(
    keys.flatMap(key =>
      Array.from(key, (_, i) =>
        Array.from(key)
          .slice(0, i + 1)
          .join(''),
      ).flatMap(part => [part, `${part}/`]),
    ),
  ),
].sort(byBytes);

export interface ListingRequest {
  readonly prefix: string;
  readonly delimiter: string;
  readonly marker: string;
}

export interface NaiveListing {
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
}

export function naiveListing({ prefix, delimiter, marker }: ListingRequest): NaiveListing {
  const shownAs = (key: string): string => {
    const end = key.indexOf(delimiter, prefix.length);
    return end < 0 ? key : key.slice(0, end + delimiter.length);
  };
  const seen = (key: string): boolean => byBytes(key, marker) <= 0 || shownAs(key) === marker;
  const shown = keys.filter(key => key.startsWith(prefix) && !seen(key)).sort(byBytes);
  const folded = (key: string): boolean => key.indexOf(delimiter, prefix.length) >= 0;
  return { keys: shown.filter(key => !folded(key)), prefixes: [...new Set(shown.filter(folded).map(shownAs))] };
}
