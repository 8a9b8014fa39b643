/** Finds what a TypeScript source imports, without resolving anything. */
import { SyntaxKind } from 'typescript/unstable/ast';
import { createScanner } from 'typescript/unstable/ast/scanner';

interface Import {
  readonly specifier: string;
  /** From 1. */
  readonly line: number;
  /** Nothing of it is left when the program runs. */
  readonly typesOnly: boolean;
}

interface Token {
  readonly kind: SyntaxKind;
  readonly value: string;
  readonly start: number;
}

/** Static imports, `export … from`, `import()` of a literal and `import()` types; text in comments, strings and templates is none. */
export function importsOf(source: string): Import[] {
  const tokens = tokensOf(source);
  const found: Import[] = [];
  const take = ({ value, start }: Token, typesOnly = false): void => {
    found.push({ specifier: value, line: source.slice(0, start).split('\n').length, typesOnly });
  };
  tokens.forEach(({ kind }, i) => {
    const next = tokens[i + 1];
    const afterNext = tokens[i + 2];
    if (next === undefined) return;
    if (kind === SyntaxKind.FromKeyword && isText(next) && isClause(tokens, i)) take(next, isTypesOnly(tokens, i));
    else if (kind !== SyntaxKind.ImportKeyword) return;
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

/** `import type …` or `export type …`, looked for from the `from` backwards. */
function isTypesOnly(tokens: readonly Token[], from: number): boolean {
  let at = from;
  while (at > 0 && tokens[at]?.kind !== SyntaxKind.ImportKeyword && tokens[at]?.kind !== SyntaxKind.ExportKeyword) at--;
  return tokens[at + 1]?.kind === SyntaxKind.TypeKeyword;
}

/** `import('x').Name` where a type stands: after a colon, `typeof`, an operator of types. */
function isImportType(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.kind;
  return before === SyntaxKind.TypeOfKeyword || before === SyntaxKind.ColonToken;
}

/** Kinds after which a slash divides; anywhere else it begins a regular expression. */
const operandEnds = new Set<SyntaxKind>([
  SyntaxKind.Identifier,
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
  SyntaxKind.ThisKeyword,
  SyntaxKind.TrueKeyword,
  SyntaxKind.FalseKeyword,
  SyntaxKind.NullKeyword,
]);

function tokensOf(source: string): Token[] {
  const scanner = createScanner(true);
  scanner.setText(source);
  const tokens: Token[] = [];
  /** Open braces; `true` where a template's expression begins. */
  const braces: boolean[] = [];
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    const previous = tokens.at(-1)?.kind;
    if (kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken) {
      if (previous === undefined || !operandEnds.has(previous)) kind = scanner.reScanSlashToken();
    } else if (kind === SyntaxKind.OpenBraceToken) braces.push(false);
    else if (kind === SyntaxKind.TemplateHead) braces.push(true);
    else if (kind === SyntaxKind.CloseBraceToken && braces.pop() === true) {
      kind = scanner.reScanTemplateToken(false);
      if (kind === SyntaxKind.TemplateMiddle) braces.push(true);
    }
    tokens.push({ kind, value: scanner.getTokenValue(), start: scanner.getTokenStart() });
  }
  return tokens;
}
