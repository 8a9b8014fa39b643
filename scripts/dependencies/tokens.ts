/** The tokens of a TypeScript source: what is left of it without comments and white space. */
import { SyntaxKind } from 'typescript/unstable/ast';
import { createScanner } from 'typescript/unstable/ast/scanner';

export interface Token {
  readonly kind: SyntaxKind;
  readonly value: string;
  /** Characters before it, and characters up to its end. */
  readonly start: number;
  readonly end: number;
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

/** @returns the line of a token, from 1. */
export const lineOf = (source: string, { start }: Token): number => source.slice(0, start).split('\n').length;

export function tokensOf(source: string): Token[] {
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
    tokens.push({ kind, value: scanner.getTokenValue(), start: scanner.getTokenStart(), end: scanner.getTokenEnd() });
  }
  return tokens;
}
