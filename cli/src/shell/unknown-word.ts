/** Reports a line whose first word is neither a command nor a variable as such, rather than as a JavaScript error. */
import { types } from 'node:util';
import { nearest } from '@srv/kernel';
import type { Session } from './session.js';

/** What a line of words begins with, when JavaScript would not. */
const lineOfWords = /^\s*([A-Za-z][\w-]*)(?:\s+[^\s=.,;:?([{<>&|+*/%^!-].*|\s+--?[A-Za-z].*|\s*)$/s;
const javascript = new Set(
  'async await break case catch class const continue debugger default delete do else export extends finally for function if import in instanceof let new of return static super switch this throw try typeof undefined var void while with yield'.split(
    ' ',
  ),
);

/** @returns what to tell; `undefined` when the failure speaks for itself. */
export function unknownWord(line: string, error: unknown, { table }: Pick<Session, 'table'>): string | undefined {
  const word = lineOfWords.exec(line)?.[1];
  if (word === undefined || javascript.has(word) || !types.isNativeError(error)) return undefined;
  const isUnknown = error.name === 'SyntaxError' || (error.name === 'ReferenceError' && error.message.startsWith(word.split('-')[0] ?? ''));
  if (!isUnknown) return undefined;
  const words = [...table.firstWords()];
  const close = words.filter(known => known.startsWith(word)).sort();
  const guess = close[0] ?? nearest(word, words);
  const advice = guess === undefined ? 'help lists the commands' : `did you mean ${guess}?`;
  return `${JSON.stringify(word)} is neither a command nor a JavaScript variable; ${advice}`;
}
