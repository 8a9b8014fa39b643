/**
 * Shell patterns of branch and tag names (actions sheet, section 2.3): `*` and `?` stop at `/`, classes are `[abc]`,
 * `[a-z]` and `[^a]`, `\` escapes. Existing action files rely on exactly these rules.
 */

/** A pattern that does not parse. */
class GlobError extends Error {
  constructor() {
    super('syntax error in pattern');
    this.name = 'GlobError';
  }
}

type Token =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly (readonly [low: string, high: string])[] };

export type Glob = readonly Token[];

/** @throws GlobError. */
export function parseGlob(pattern: string): Glob {
  const characters = Array.from(pattern);
  const tokens: Token[] = [];
  let at = 0;
  const take = (): string => {
    const character = characters[at++];
    if (character === undefined) throw new GlobError();
    return character;
  };
  const member = (): string => {
    const character = take();
    if (character === '\\') return take();
    if (character === '-' || character === ']') throw new GlobError();
    return character;
  };
  const classOf = (): Token => {
    const negated = characters[at] === '^';
    if (negated) at++;
    const ranges: (readonly [string, string])[] = [];
    while (characters[at] !== ']' || ranges.length === 0) {
      const low = member();
      const isRange = characters[at] === '-';
      if (isRange) at++;
      ranges.push([low, isRange ? member() : low]);
    }
    at++;
    return { kind: 'class', negated, ranges };
  };
  while (at < characters.length) {
    const character = take();
    if (character === '*') tokens.push({ kind: 'star' });
    else if (character === '?') tokens.push({ kind: 'any' });
    else if (character === '[') tokens.push(classOf());
    else tokens.push({ kind: 'text', text: character === '\\' ? take() : character });
  }
  return tokens;
}

/** Whether the whole name matches. Takes time proportional to the lengths of both at most. */
export function matchesGlob(glob: Glob, name: string): boolean {
  const characters = Array.from(name);
  let [token, at] = [0, 0];
  let star: { readonly token: number; at: number } | undefined;
  while (at < characters.length || token < glob.length) {
    const wanted = glob[token];
    if (wanted?.kind === 'star') {
      star = { token, at };
      token++;
      continue;
    }
    const character = characters[at];
    if (wanted && character !== undefined && matchesOne(wanted, character)) {
      token++;
      at++;
      continue;
    }
    // The last star takes one character more, unless that is a slash.
    const next = star && characters[star.at];
    if (!star || next === undefined || next === '/') return false;
    star.at++;
    [token, at] = [star.token + 1, star.at];
  }
  return true;
}

function matchesOne(token: Token, character: string): boolean {
  if (token.kind === 'text') return token.text === character;
  if (token.kind === 'any') return character !== '/';
  if (token.kind === 'star') return false;
  const code = codeOf(character);
  return token.ranges.some(([low, high]) => codeOf(low) <= code && code <= codeOf(high)) !== token.negated;
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
