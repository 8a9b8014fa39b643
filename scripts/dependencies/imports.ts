/** Finds what a TypeScript source imports, without resolving anything. */
import { SyntaxKind } from 'typescript/unstable/ast';
import { lineOf, tokensOf } from './tokens.js';
import type { Token } from './tokens.js';

export interface Import {
  readonly specifier: string;
  /** From 1. */
  readonly line: number;
  /** It is erased when the program is compiled. */
  readonly typesOnly: boolean;
}

/** Static imports, `export … from`, `import()` of a literal and `import()` types; text in comments, strings and templates is ignored. */
export function importsOf(source: string): Import[] {
  const tokens = tokensOf(source);
  const found: Import[] = [];
  const take = (token: Token, typesOnly = false): void => {
    found.push({ specifier: token.value, line: lineOf(source, token), typesOnly });
  };
  tokens.forEach(({ kind }, i) => {
    const next = tokens[i + 1];
    const afterNext = tokens[i + 2];
    if (next === undefined) return;
    if (kind === SyntaxKind.FromKeyword && isText(next) && isClause(tokens, i)) {
      take(next, clauseBefore(tokens, i)[0]?.kind === SyntaxKind.TypeKeyword);
    } else if (kind !== SyntaxKind.ImportKeyword || tokens[i - 1]?.kind === SyntaxKind.DotToken) return;
    else if (isText(next)) take(next);
    else if (next.kind === SyntaxKind.OpenParenToken && afterNext !== undefined && isText(afterNext))
      take(afterNext, isImportType(tokens, i));
  });
  return found;
}

const isText = ({ kind }: Token): boolean => kind === SyntaxKind.StringLiteral || kind === SyntaxKind.NoSubstitutionTemplateLiteral;

/** `from` is also a plain name; a clause ends with `}`, `*` or a name, and `from` follows no dot. */
function isClause(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.kind;
  return before === SyntaxKind.CloseBraceToken || before === SyntaxKind.AsteriskToken || before === SyntaxKind.Identifier;
}

/** What stands between `import` or `export` and the `from`, looked for backwards. */
function clauseBefore(tokens: readonly Token[], from: number): readonly Token[] {
  let at = from;
  while (at > 0 && tokens[at]?.kind !== SyntaxKind.ImportKeyword && tokens[at]?.kind !== SyntaxKind.ExportKeyword) at--;
  return tokens.slice(at + 1, from);
}

/** `import('x').Name` where a type stands: after a colon, `typeof`, an operator of types. */
function isImportType(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.kind;
  return before === SyntaxKind.TypeOfKeyword || before === SyntaxKind.ColonToken;
}
