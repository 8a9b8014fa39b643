/** A line of the shell with a candidate instead of what is typed last. */
import { lastWordAt } from './quotes.js';

/**
 * Where the name begins that ends a filter, as in `ls | where size_by`; `undefined`: the line does not end with a filter.
 * Filters are JavaScript, and have no words.
 */
export function filterNameAt(line: string): number | undefined {
  const bar = line.lastIndexOf(' | ');
  if (bar < 0 || !line.startsWith('where ', bar + 3)) return undefined;
  let start = line.length;
  while (start > 0 && /[\w$]/.test(line.charAt(start - 1))) start--;
  return start;
}

/** Where the text begins that a candidate replaces. */
export function replacedAt(line: string): number {
  return filterNameAt(line) ?? lastWordAt(line);
}

/** @param isWhole the word is complete: unless it is a folder, the next one can begin. */
export function completedLine(line: string, candidate: string, isWhole: boolean): string {
  const text = filterNameAt(line) === undefined ? quotedWord(candidate) : candidate;
  return `${line.slice(0, replacedAt(line))}${text}${isWhole && !candidate.endsWith('/') ? ' ' : ''}`;
}

/** A text as one word, which the shell does not take for JavaScript either. */
function quotedWord(text: string): string {
  const isPlain = !/[\s'"\\$#|]|^(?:=|(?:in|instanceof|[([.?,;])$)/.test(text);
  return isPlain ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The beginning that all texts share. */
export function commonStart(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  let length = first.length;
  for (const text of others) while (!text.startsWith(first.slice(0, length))) length--;
  // Not the first half of a character.
  return first.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}
