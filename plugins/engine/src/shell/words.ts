/** A line of the shell as words: quotes, backslashes, comments and variables, as in a POSIX shell. */
import { UsageError } from '@srv/lib-commands';
import { plainCharacters } from './quotes.js';

/** The line ends inside quotes or after a backslash: another line follows. */
export class OpenLineError extends UsageError {}

/** @returns `undefined` for a variable that is not set. */
type Variables = (name: string) => string | undefined;

/** Exactly `$1`, `$NAME` and `${NAME}`; a `$` before anything else is a dollar sign, as at the end of `main$`. */
const variable = /\$(?:\{([A-Za-z_]\w*|\d+)\}|([A-Za-z_]\w*|\d+))/y;

/**
 * @throws OpenLineError for an open quote, UsageError for a variable that is not set.
 * @example
 * splitWords("commit -m 'two words' # why", () => undefined); // ['commit', '-m', 'two words']
 */
export function splitWords(line: string, variables: Variables): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (quote === "'" ? character === "'" : quote === '"' && character === '"') quote = '';
    else if (quote === "'") word = (word ?? '') + character;
    else if (character === '\\') {
      if (at + 1 >= line.length) throw new OpenLineError('the line ends with a backslash');
      const next = line.charAt(++at);
      // Within double quotes a backslash protects only what has a meaning there.
      if (next !== '\n') word = (word ?? '') + (quote === '"' && !'"\\$'.includes(next) ? `\\${next}` : next);
    } else if (character === '$') {
      variable.lastIndex = at;
      const found = variable.exec(line);
      word = (word ?? '') + (found ? variableValue(found[1] ?? found[2] ?? '', variables) : '$');
      if (found) at += found[0].length - 1;
    } else if (quote === '' && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (quote === '' && (character === "'" || character === '"')) {
      quote = character;
      word ??= '';
    } else if (quote === '' && character === '#' && word === undefined) break;
    else word = (word ?? '') + character;
  }
  if (quote !== '') throw new OpenLineError(`the line ends inside ${quote}`);
  return word === undefined ? words : [...words, word];
}

/**
 * A line at its bars: a command, then what its output goes through. A bar counts when it stands alone, outside quotes.
 * @example
 * splitStages("ls -r | grep 'a | b'"); // ['ls -r', "grep 'a | b'"]
 */
export function splitStages(line: string): string[] {
  const stages: string[] = [];
  let start = 0;
  for (const { at, character } of plainCharacters(line)) {
    if (character === '#' && /^$|\s/.test(line.charAt(at - 1))) break;
    if (character === '|' && /\s/.test(line.charAt(at - 1)) && /^$|\s/.test(line.charAt(at + 1))) {
      stages.push(line.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...stages, line.slice(start).trim()];
}

function variableValue(name: string, variables: Variables): string {
  const value = variables(name);
  if (value === undefined) throw new UsageError(`$${name} is not set; put the word in single quotes to use it literally`);
  return value;
}
