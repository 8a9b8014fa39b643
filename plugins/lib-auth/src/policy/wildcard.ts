/** `*` is any run of characters, `/` included; `?` is exactly one; everything else matches itself. */
import { parseGlob, wildcardSyntax } from '@srv/lib-records/glob';
import { LRUCache } from 'lru-cache';
import type { Glob, GlobPart } from '@srv/lib-records/glob';

/** Texts by names. */
type Variables = Readonly<Record<string, string>>;

/** UTF-16 code units: time grows with the length. With variables inserted a pattern stays below the limit of globs. */
export const maxPatternLength = 2048;

/** @bound patterns of policies kept compiled */
const maxCompiled = 1000;

/** The same few patterns decide about each object of a list. */
const compiled = new LRUCache<string, Glob>({ max: maxCompiled });

/**
 * Whether the whole `text` matches. Takes time at most the length of the pattern times the length of the text.
 * @param variables inserted for `${name}`; their text is literal, so that a user named `*` gains nothing by it.
 * @throws GlobError for a pattern that is too long: the request must then be denied.
 */
export function matches(pattern: string, text: string, variables: Variables = {}): boolean {
  return compile(pattern, variables).matches(text);
}

/** Whether any text that begins with `prefix` matches. Otherwise as {@link matches}. */
export function continues(pattern: string, prefix: string, variables: Variables): boolean {
  return compile(pattern, variables).continues(prefix);
}

function compile(pattern: string, variables: Variables): Glob {
  const used = Object.keys(variables).filter(name => pattern.includes(`\${${name}}`));
  const key = JSON.stringify([pattern, ...used.map(name => [name, variables[name]])]);
  let glob = compiled.get(key);
  if (!glob) {
    glob = parseGlob(partsOf(pattern, used, variables), wildcardSyntax);
    compiled.set(key, glob);
  }
  return glob;
}

/** Whether the pattern is short enough to be matched. */
export function isPattern(pattern: string): boolean {
  return pattern.length <= maxPatternLength;
}

function partsOf(pattern: string, used: readonly string[], variables: Variables): GlobPart[] {
  return used.reduce<GlobPart[]>(
    (parts, name) =>
      parts.flatMap(part =>
        typeof part === 'string'
          ? part.split(`\${${name}}`).flatMap((text, i) => (i === 0 ? [text] : [{ literal: variables[name] ?? '' }, text]))
          : [part],
      ),
    [pattern],
  );
}
