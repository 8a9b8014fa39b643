/** SQL as tokens: enough to distinguish texts from names, comments and code. */

export interface Token {
  readonly kind: 'word' | 'text' | 'name' | 'sign';
  /** Of a word in lower case; of a text or a quoted name, the unquoted value. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Each begins where the last one ended. An open quote reaches to the end: the engine reports it. */
const patterns: readonly (readonly [kind: Token['kind'] | 'blank', pattern: RegExp])[] = [
  ['blank', /\s+|--[^\n]*/y],
  ['text', /[eE]'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|'(?:[^']|'')*(?:'|$)/y],
  ['name', /"(?:[^"]|"")*(?:"|$)/y],
  ['text', /\$(?<tag>[A-Za-z_]*)\$[\s\S]*?(?:\$\k<tag>\$|$)/y],
  ['word', /[\p{L}_][\p{L}\p{N}_$]*/uy],
  ['sign', /[\s\S]/y],
];

export function tokensOf(sql: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let start = 0; start < sql.length; ) {
    const comment = commentEnd(sql, start);
    if (comment > start) {
      start = comment;
      continue;
    }
    for (const [kind, pattern] of patterns) {
      pattern.lastIndex = start;
      const [raw] = pattern.exec(sql) ?? [];
      if (raw === undefined) continue;
      if (kind !== 'blank') tokens.push({ kind, value: meaningOf(kind, raw), start, end: start + raw.length });
      start += raw.length;
      break;
    }
  }
  return tokens;
}

/** Comments of this kind can stand in one another. */
function commentEnd(sql: string, start: number): number {
  if (!sql.startsWith('/*', start)) return start;
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

function meaningOf(kind: Token['kind'], raw: string): string {
  if (kind === 'word') return raw.toLowerCase();
  if (kind === 'sign') return raw;
  if (kind === 'name') return raw.slice(1, -1).replaceAll('""', '"');
  if (raw.startsWith('$')) return raw.slice(raw.indexOf('$', 1) + 1, raw.lastIndexOf('$', raw.length - 2));
  return raw.slice(raw.indexOf("'") + 1, -1).replaceAll("''", "'");
}
