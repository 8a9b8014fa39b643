/** Which characters of a line quotes and backslashes protect. */

interface PlainCharacter {
  readonly at: number;
  readonly character: string;
}

/** The characters from an offset on that stand outside quotes, no backslash before them; quotes and backslashes themselves are left out. */
export function* plainCharacters(line: string, from = 0): Generator<PlainCharacter> {
  let quote = '';
  for (let at = from; at < line.length; at++) {
    const character = line.charAt(at);
    if (quote !== "'" && character === '\\') at++;
    else if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === "'" || character === '"') quote = character;
    else yield { at, character };
  }
}

/**
 * Where the last word of a line begins that is still typed: its quote may be open.
 * @example lastWordAt("cat 'my fi"); // 4
 */
export function lastWordAt(line: string): number {
  let start = 0;
  for (const { at, character } of plainCharacters(line)) if (/\s/.test(character)) start = at + 1;
  return start;
}

/**
 * Where a line of the shell ends that begins at `start`: at the first line break outside quotes that no backslash
 * protects; one in a comment always counts.
 * @returns `undefined`: the text ends within quotes, or with a backslash.
 * @example lineEnd("commit -m 'two\nlines'\nlog", 0); // 21
 */
export function lineEnd(text: string, start: number): number | undefined {
  let isFree = true;
  for (const { at, character } of plainCharacters(text, start)) {
    if (character === '\n') return at;
    if (character === '#' && isFree) {
      const end = text.indexOf('\n', at);
      return end < 0 ? text.length : end;
    }
    isFree = /\s/.test(character);
  }
  return endsOpen(text.slice(start)) ? undefined : text.length;
}

/** Within quotes, or after a backslash. */
function endsOpen(line: string): boolean {
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (quote !== "'" && character === '\\') {
      // A protected line break at the very end promises a line, too.
      if (++at >= line.length || (quote === '' && at === line.length - 1 && line.charAt(at) === '\n')) return true;
    } else if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === "'" || character === '"') quote = character;
  }
  return quote !== '';
}
