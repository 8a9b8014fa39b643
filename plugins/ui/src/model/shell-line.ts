/** The line of the shell while it is typed. */

/** Where the last word begins; quotes and backslashes keep spaces in it. */
function lastWordAt(line: string): number {
  let quote = '';
  let start = 0;
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (quote !== "'" && character === '\\') at++;
    else if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === "'" || character === '"') quote = character;
    else if (/\s/.test(character)) start = at + 1;
  }
  return start;
}

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
