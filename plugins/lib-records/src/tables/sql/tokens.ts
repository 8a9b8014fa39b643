/** SQL as tokens: enough to distinguish texts from names, comments and code. Reads every character once. */

export interface Token {
  readonly kind: 'word' | 'text' | 'name' | 'sign';
  /** Of a word in lower case; of a text or a quoted name, the unquoted value. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const blank = /\s/;
const letter = /[\p{L}_]/u;
const wordPart = /[\p{L}\p{N}_$]/u;

/** An open quote reaches to the end: the engine reports it. */
export function tokensOf(sql: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let start = 0; start < sql.length; ) {
    const skipped = blankEnd(sql, start);
    const token = skipped > start ? undefined : tokenAt(sql, start);
    if (token) tokens.push(token);
    start = token?.end ?? skipped;
  }
  return tokens;
}

/** End of the white space or comment at `start`; `start` where neither is. */
function blankEnd(sql: string, start: number): number {
  if (sql.startsWith('--', start)) return indexOrEnd(sql, '\n', start);
  if (sql.startsWith('/*', start)) return commentEnd(sql, start);
  let end = start;
  while (end < sql.length && blank.test(sql.charAt(end))) end++;
  return end;
}

/** Comments of this kind can stand in one another. */
function commentEnd(sql: string, start: number): number {
  let depth = 1;
  let at = start + 2;
  for (; at < sql.length && depth > 0; at++) {
    if (sql.startsWith('/*', at)) {
      depth++;
      at++;
    } else if (sql.startsWith('*/', at)) {
      depth--;
      at++;
    }
  }
  return at;
}

function tokenAt(sql: string, start: number): Token {
  const first = sql.charAt(start);
  if (first === "'") return quoted('text', sql, { start, open: start, escapes: false });
  if ((first === 'e' || first === 'E') && sql.charAt(start + 1) === "'")
    return quoted('text', sql, { start, open: start + 1, escapes: true });
  if (first === '"') return quoted('name', sql, { start, open: start, escapes: false });
  const dollar = first === '$' ? dollarQuoted(sql, start) : undefined;
  if (dollar) return dollar;
  if (letter.test(characterAt(sql, start))) {
    const end = wordEnd(sql, start);
    return { kind: 'word', value: sql.slice(start, end).toLowerCase(), start, end };
  }
  const sign = characterAt(sql, start);
  return { kind: 'sign', value: sign, start, end: start + sign.length };
}

interface Quoted {
  readonly start: number;
  /** Place of the quote. */
  readonly open: number;
  /** A backslash takes the character after it. */
  readonly escapes: boolean;
}

function quoted(kind: 'text' | 'name', sql: string, { start, open, escapes }: Quoted): Token {
  const quote = sql.charAt(open);
  let end = open + 1;
  while (end < sql.length) {
    const character = sql.charAt(end);
    if (escapes && character === '\\') end += 2;
    else if (character !== quote) end++;
    else if (sql.charAt(end + 1) === quote) end += 2;
    else break;
  }
  const close = Math.min(end, sql.length);
  const value = sql.slice(open + 1, close).replaceAll(quote + quote, quote);
  return { kind, value, start, end: Math.min(close + 1, sql.length) };
}

/** `$$text$$`, `$tag$text$tag$`; `undefined` for another use of the sign. */
function dollarQuoted(sql: string, start: number): Token | undefined {
  let open = start + 1;
  if (letter.test(characterAt(sql, open)))
    while (open < sql.length && sql.charAt(open) !== '$' && wordPart.test(characterAt(sql, open))) open++;
  if (sql.charAt(open) !== '$') return undefined;
  const tag = sql.slice(start, open + 1);
  const close = indexOrEnd(sql, tag, open + 1);
  return { kind: 'text', value: sql.slice(open + 1, close), start, end: Math.min(close + tag.length, sql.length) };
}

function wordEnd(sql: string, start: number): number {
  let end = start;
  for (let next = characterAt(sql, end); next !== '' && wordPart.test(next); next = characterAt(sql, end)) end += next.length;
  return end;
}

function characterAt(sql: string, at: number): string {
  const code = sql.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

function indexOrEnd(sql: string, text: string, from: number): number {
  const at = sql.indexOf(text, from);
  return at < 0 ? sql.length : at;
}
