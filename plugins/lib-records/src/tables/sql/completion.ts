/** What can stand where one types: words and columns by their beginning, or the rest of an address. */
import { functions, keywords } from './keywords.js';
import { tokensOf } from './tokens.js';

export type Typed =
  | { readonly kind: 'word'; readonly start: number; readonly text: string }
  /** Within quotes; `text` begins with its scheme. */
  | { readonly kind: 'address'; readonly start: number; readonly text: string };

const scheme = /^(?:srv|lakefs):\/\//;

/** What ends at the caret; `undefined` where nothing is completed: in texts, comments and numbers. */
export function typedAt(script: string, caret: number): Typed | undefined {
  const before = script.slice(0, caret);
  const last = tokensOf(before).at(-1);
  if (!last || last.end !== before.length) return undefined;
  if (last.kind === 'text' || last.kind === 'name') {
    const open = before.slice(last.start);
    const isOpen = open.length === last.value.length + 1;
    return isOpen && scheme.test(last.value) ? { kind: 'address', start: last.start + 1, text: last.value } : undefined;
  }
  return last.kind === 'word' ? { kind: 'word', start: last.start, text: before.slice(last.start) } : undefined;
}

const mostWords = 50;

/** Columns first, then words of SQL, in the case of what is typed. */
export function wordsFor(typed: string, columns: readonly string[]): readonly string[] {
  const lower = typed.toLowerCase();
  const begins = (word: string): boolean => word.toLowerCase().startsWith(lower) && word.toLowerCase() !== lower;
  const isUpper = typed !== lower && typed === typed.toUpperCase();
  const cased = (word: string): string => (isUpper ? word.toUpperCase() : word);
  const found = [
    ...columns.filter(begins).map(quotedName),
    ...[...keywords].filter(begins).map(cased),
    ...functions.filter(begins).map(name => `${cased(name)}(`),
  ];
  return [...new Set(found)].slice(0, mostWords);
}

/** As a query names a column. */
export function quotedName(name: string): string {
  return /^[a-z_][a-z0-9_]*$/i.test(name) && !keywords.has(name.toLowerCase()) ? name : `"${name.replaceAll('"', '""')}"`;
}
