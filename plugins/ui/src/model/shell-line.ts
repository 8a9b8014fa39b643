/** The line of the shell while it is typed. */
import { lastWordAt } from '@srv/engine/shell/quotes';

/** A candidate as one word. */
const quoted = (text: string): string => (/[\s'"\\$#|]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : text);

/** @param isWhole the word is complete: unless it is a folder, the next one can begin. */
export function completedLine(line: string, candidate: string, isWhole: boolean): string {
  return `${line.slice(0, lastWordAt(line))}${quoted(candidate)}${isWhole && !candidate.endsWith('/') ? ' ' : ''}`;
}

/** What all candidates begin with. */
export function commonStart(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  let length = first.length;
  for (const text of others) while (!text.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length);
}
