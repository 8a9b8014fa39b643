/** Lines whose first word is not a command. */
import { nearest } from '@srv/kernel';

/** What a line of words begins with, when JavaScript would not. */
const lineOfWords = /^\s*([A-Za-z][\w-]*)(?:\s+[^\s=.,;:?([{<>&|+*/%^!-].*|\s+--?[A-Za-z].*|\s*)$/s;
const javascript = new Set(
  'async await break case catch class const continue debugger default delete do else export extends finally for function if import in instanceof let new of return static super switch this throw try typeof undefined using var void while with yield'.split(
    ' ',
  ),
);

/** @returns the first word of a line that is made of words, and not of JavaScript. */
export function wordOf(line: string): string | undefined {
  const word = lineOfWords.exec(line)?.[1];
  return word === undefined || javascript.has(word) ? undefined : word;
}

/** @param known first words of commands. @param other what else a word may be. @returns that it is neither, and what may be meant. */
export function unknownWordText(word: string, known: ReadonlySet<string>, other: string): string {
  const words = [...known];
  const guess = words.filter(name => name.startsWith(word)).sort()[0] ?? nearest(word, words);
  const advice = guess === undefined ? 'help lists the commands' : `did you mean ${guess}?`;
  return `${JSON.stringify(word)} is neither a command nor a ${other}; ${advice}`;
}

/** Two words next to each other, options between them: no JavaScript, where the first is not a word of it. */
const plainWords = /^\s*([A-Za-z][\w.-]*)(?:[ \t]+--?[A-Za-z][\w-]*)*[ \t]+(["'$]|[A-Za-z0-9]+)/;
const operators = new Set(['in', 'instanceof', 'of']);

/** Whether a line is made of words and can be no JavaScript: what runs it says which word is wrong. */
export function isLineOfWords(line: string): boolean {
  const [, first = '', second = ''] = plainWords.exec(line) ?? [];
  return first !== '' && !javascript.has(first) && !operators.has(second);
}
