/**
 * Getters in object literals of what ships. V8 gives each object that such a literal makes a hidden class of its own, which is an old
 * object at once and holds the getter, and with it all that the getter refers to, until all of memory is collected. A getter of a
 * class is there once.
 */
import { SyntaxKind } from 'typescript/unstable/ast';
import { lineOf, tokensOf } from './tokens.js';
import type { Source } from './source.js';
import type { Token } from './tokens.js';

const ships = /^(?!test\/|scripts\/)[^:]*\/src\/(?!testing\/)/;
/** Other files need not be scanned. */
const mayHaveAccessor = /\b[gs]et\s+\w+\s*\(/;

/** Files whose objects are few, and why. */
const reasons: Readonly<Record<string, string>> = {
  'cli/src/run.ts': 'one object per program',
  'kernel/src/plugin-view.ts': 'one object per plugin',
  'plugins/metrics/src/server/block-store.ts': 'one object per store',
};

/** @returns one `file:line: what is wrong` per getter or setter. */
export function judgeLiteralAccessors(sources: readonly Source[]): string[] {
  return sources
    .map(source => ({ path: `${source.from.folder}/${source.file}`, text: source.text }))
    .filter(({ path, text }) => mayHaveAccessor.test(text) && ships.test(path) && !Object.hasOwn(reasons, path))
    .flatMap(({ path, text }) =>
      accessorsOf(tokensOf(text)).map(
        token => `${path}:${lineOf(text, token)}: a getter of an object literal makes a hidden class per object; write a class with it`,
      ),
    );
}

function accessorsOf(tokens: readonly Token[]): Token[] {
  const found: Token[] = [];
  /** Open braces, and whether they are those of a class. */
  const braces: boolean[] = [];
  let isClassHead = false;
  for (const [at, token] of tokens.entries()) {
    if (token.kind === SyntaxKind.ClassKeyword && tokens[at - 1]?.kind !== SyntaxKind.DotToken) isClassHead = true;
    else if (token.kind === SyntaxKind.OpenBraceToken) {
      braces.push(isClassHead);
      isClassHead = false;
    } else if (token.kind === SyntaxKind.CloseBraceToken) braces.pop();
    else if (braces.at(-1) === false && isAccessor(tokens, at)) found.push(token);
  }
  return found;
}

/** `get name(…)` with a body; without one it is a type. */
function isAccessor(tokens: readonly Token[], at: number): boolean {
  const [word, name, open] = tokens.slice(at, at + 3);
  const isWord = word?.kind === SyntaxKind.GetKeyword || word?.kind === SyntaxKind.SetKeyword;
  if (!isWord || name?.kind !== SyntaxKind.Identifier || open?.kind !== SyntaxKind.OpenParenToken) return false;
  const begins = tokens.slice(at).find(({ kind }) => kind === SyntaxKind.OpenBraceToken || kind === SyntaxKind.SemicolonToken);
  return begins?.kind === SyntaxKind.OpenBraceToken;
}
