/** Patterns of `like`: `*` is any run of characters, `?` is exactly one. The usual ones are matched by searching for their texts. */
import { messageOf } from '@srv/kernel';
import { parseGlob, wildcardSyntax } from '@srv/lib-records/glob';
import { problemAt } from './tokens.js';

/** @throws SrvError `invalid` for a pattern that is too long. */
export function wildcard(pattern: string, at: number): (text: string) => boolean {
  if (!pattern.includes('?')) return runsOnly(pattern.split('*'));
  try {
    const glob = parseGlob(pattern, wildcardSyntax);
    return text => glob.matches(text);
  } catch (error) {
    throw problemAt(at, `the pattern is not acceptable: ${messageOf(error)}`);
  }
}

/** @param parts what stands between the stars. Each is found at the first place after the one before it. */
function runsOnly(parts: readonly string[]): (text: string) => boolean {
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (parts.length === 1) return text => text === first;
  const middle = parts.slice(1, -1).filter(part => part !== '');
  return text => {
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let from = first.length;
    const end = text.length - last.length;
    for (const part of middle) {
      const found = text.indexOf(part, from);
      if (found < 0 || found + part.length > end) return false;
      from = found + part.length;
    }
    return true;
  };
}

/** What every text that matches begins with. */
export function literalPrefix(pattern: string): string {
  let end = 0;
  while (end < pattern.length && pattern[end] !== '*' && pattern[end] !== '?') end++;
  return pattern.slice(0, end);
}
