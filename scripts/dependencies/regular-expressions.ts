/**
 * Regular expressions of what ships: none is made of text that a program gets, and none can be made slow. Both would let one
 * request stop the whole server. Globs of users are matched by `@srv/lib-records/glob`, their regular expressions by `re2js`.
 */
import { RegExpParser } from '@eslint-community/regexpp';
import { analyse } from 'scslre';
import { SyntaxKind } from 'typescript/unstable/ast';
import { lineOf, tokensOf } from './tokens.js';
import type { Source } from './source.js';
import type { Token } from './tokens.js';

const ships = /^(?!test\/|scripts\/)[^:]*\/(?:src|page)\/(?!testing\/)/;

/** Files that make one of more than a literal, and why no user can give it a hostile part. */
const makers: Readonly<Record<string, string>> = {
  'plugins/kv-local/src/server/repair.ts': 'a number',
  'plugins/lib-stores/src/block/store-pattern.ts': "the plugin's pattern; the text has a bounded length",
  'plugins/ui/src/model/highlight.ts': 'constants of the same file',
  'plugins/lib-page/src/model/store-pattern.ts': "the server's pattern",
};

/** Expressions that the analysis takes for slow, and why they are not. */
const harmless: Readonly<Record<string, string>> = {
  '/[!-/][\\s\\S]*$/': 'the first match reaches the end',
  '/\\?.*$/s': 'the first match reaches the end',
  '/^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\\/\\/([^/?#]*))?([^?#]*)(?:\\?([^#]*))?(?:#(.*))?$/s': 'everything matches at the first try',
  '/^(\\S*)\\s*(.*)$/s': 'everything matches at the first try',
  '/\\B(?=(?:\\d{3})+$)/g': 'the digits of one number',
};

/** @returns one `file:line: what is wrong` per expression. */
export function judgeRegularExpressions(sources: readonly Source[]): string[] {
  return sources
    .filter(source => ships.test(pathOf(source)))
    .flatMap(source =>
      tokensOf(source.text).flatMap((token, i, tokens) => {
        const wrong =
          token.kind === SyntaxKind.RegularExpressionLiteral
            ? problemOf(token.value)
            : token.value === 'RegExp' && tokens[i + 1]?.kind === SyntaxKind.OpenParenToken && !takesLiteral(tokens, i + 2)
              ? problemOfMaker(pathOf(source))
              : undefined;
        return wrong === undefined ? [] : [`${pathOf(source)}:${lineOf(source.text, token)}: ${wrong}`];
      }),
    );
}

const pathOf = ({ from, file }: Source): string => `${from.folder}/${file}`;

function takesLiteral(tokens: readonly Token[], at: number): boolean {
  const kind = tokens[at]?.kind;
  const next = tokens[at + 1]?.kind;
  const isLiteral = kind === SyntaxKind.StringLiteral || kind === SyntaxKind.NoSubstitutionTemplateLiteral;
  return isLiteral && (next === SyntaxKind.CommaToken || next === SyntaxKind.CloseParenToken);
}

function problemOfMaker(path: string): string | undefined {
  return Object.hasOwn(makers, path)
    ? undefined
    : 'a regular expression made of a value: match globs with @srv/lib-records/glob, expressions of users with re2js';
}

function problemOf(literal: string): string | undefined {
  if (Object.hasOwn(harmless, literal)) return undefined;
  let expression: ReturnType<RegExpParser['parseLiteral']>;
  try {
    expression = new RegExpParser().parseLiteral(literal);
  } catch {
    // The scanner takes the ends of JSX elements for expressions.
    return undefined;
  }
  const { reports } = analyse({ pattern: expression.pattern, flags: expression.flags });
  if (reports.length === 0) return undefined;
  const time = reports.some(({ exponential }) => exponential) ? 'exponential' : 'quadratic';
  return `${literal} takes ${time} time on some texts: let its parts begin with different characters, or a match where no other could begin`;
}
