/** Which characters of a line quotes and backslashes protect. */

interface PlainCharacter {
  readonly at: number;
  readonly character: string;
}

/** The characters that stand outside quotes, no backslash before them; quotes and backslashes themselves are left out. */
export function* plainCharacters(line: string): Generator<PlainCharacter> {
  let quote = '';
  for (let at = 0; at < line.length; at++) {
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
