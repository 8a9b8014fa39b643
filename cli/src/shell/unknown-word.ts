/** Reports a line whose first word is neither a command nor a variable as such, rather than as a JavaScript error. */
import { types } from 'node:util';
import { unknownWordText, wordOf } from '@srv/engine/shell';
import type { Session } from './session.js';

/** @returns what to print; `undefined` when the failure speaks for itself. */
export function unknownWord(line: string, error: unknown, { table }: Pick<Session, 'table'>): string | undefined {
  const word = wordOf(line);
  if (word === undefined || table.firstWords().has(word) || !types.isNativeError(error)) return undefined;
  const isUnknown = error.name === 'SyntaxError' || (error.name === 'ReferenceError' && error.message.startsWith(word.split('-')[0] ?? ''));
  return isUnknown ? unknownWordText(word, table.firstWords(), 'JavaScript variable') : undefined;
}
