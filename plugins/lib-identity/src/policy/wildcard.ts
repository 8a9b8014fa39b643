/** `*` is any run of characters, `/` included; `?` is exactly one; everything else matches itself. */

const anyRun = Symbol('*');
const anyOne = Symbol('?');

/** A pattern taken apart, one token per code point. */
type Pattern = readonly (string | typeof anyRun | typeof anyOne)[];

/**
 * @param variables inserted for `${name}`; their text is literal, so that a user named `*` gains nothing by it.
 */
export function compilePattern(text: string, variables: Readonly<Record<string, string>> = {}): Pattern {
  const tokens: (string | typeof anyRun | typeof anyOne)[] = [];
  let rest = text;
  while (rest !== '') {
    const name = Object.keys(variables).find(v => rest.startsWith(`\${${v}}`));
    if (name !== undefined) {
      tokens.push(...Array.from(variables[name] ?? ''));
      rest = rest.slice(name.length + 3);
      continue;
    }
    const character = String.fromCodePoint(rest.codePointAt(0) ?? 0);
    tokens.push(character === '*' ? anyRun : character === '?' ? anyOne : character);
    rest = rest.slice(character.length);
  }
  return tokens;
}

/** Time at most pattern length times text length: after a mismatch only the last run grows. */
export function matchPattern(pattern: Pattern, text: string): boolean {
  const characters = Array.from(text);
  let at = 0;
  let token = 0;
  let run = -1;
  let runStart = 0;
  while (at < characters.length) {
    const expected = pattern[token];
    if (expected === anyRun) {
      run = token++;
      runStart = at;
    } else if (expected === anyOne || (expected !== undefined && expected === characters[at])) {
      token++;
      at++;
    } else if (run >= 0) {
      token = run + 1;
      at = ++runStart;
    } else {
      return false;
    }
  }
  while (pattern[token] === anyRun) token++;
  return token === pattern.length;
}

/** Whether the pattern matches any text that begins with `prefix`. Time: pattern length times prefix length. */
export function reachesEnd(pattern: Pattern, prefix: string): boolean {
  // Positions in the pattern that the text up to here can have led to, without those that a run has already passed.
  let positions = afterRuns(pattern, [0]);
  for (const character of Array.from(prefix)) {
    const next: number[] = [];
    for (const position of positions) {
      const expected = pattern[position];
      if (expected === anyRun) next.push(position);
      else if (expected === anyOne || expected === character) next.push(position + 1);
    }
    positions = afterRuns(pattern, next);
    if (positions.size === 0) return false;
  }
  return true;
}

/** The positions, and those after the runs at them, which may match nothing. */
function afterRuns(pattern: Pattern, positions: readonly number[]): Set<number> {
  const reached = new Set<number>();
  for (let position of positions) {
    reached.add(position);
    while (pattern[position] === anyRun) reached.add(++position);
  }
  return reached;
}

/** Whether `text` matches the pattern written as `pattern`. */
export function matches(pattern: string, text: string): boolean {
  return matchPattern(compilePattern(pattern), text);
}
