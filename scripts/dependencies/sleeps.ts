/**
 * Waiting in tests: a fixed time is too short on a busy machine and wasted on a quiet one. What takes `slowMs` or longer awaits
 * an event, or has a reason here.
 */
import { SyntaxKind } from 'typescript/unstable/ast';
import { lineOf, tokensOf } from './tokens.js';
import type { Source } from './source.js';
import type { Token } from './tokens.js';

const slowMs = 200;
/** Other files need not be scanned. */
const waits = /\b(?:sleep|setTimeout)\b/;
const isTest = /(^|\/)test\/|(^|\/)testing\//;

/** Files that wait, and why they cannot do otherwise. */
const reasons: Readonly<Record<string, string>> = {
  'cli/test/shell-type-ahead.long.test.ts': 'what is typed ahead shows itself nowhere until it is read',
  'plugins/gc/test/several-stores.long.test.ts': 'stores of others round times to seconds',
  'plugins/gc/test/stores.long.test.ts': 'stores of others round times to seconds',
  'plugins/hook-lua/test/bench.ts': 'a benchmark of what happens meanwhile',
  'plugins/kv-local/test/open.test.ts': 'keeps another process open until it is killed',
  'plugins/lib-stores/test/block/blocks.test.ts': 'ends with its signal',
  'plugins/engine/test/refs/embedded.long.test.ts': 'random moments of faults',
  'test/faults/outage.long.test.ts': 'random moments of faults, and the length of an outage',
  'test/faults/workers.long.test.ts': 'random moments of faults, and some load before the stop',
  'test/interrupted-hooks.long.test.ts': 'between two polls of a server that decides after half a minute',
  'test/start-up.long.test.ts': 'two signals that come together count as one',
  'test/third-party/hanging-stores.long.test.ts': 'a store that hangs',
  'test/workers.long.test.ts': 'a replacement begins a second later; connections on their way show themselves nowhere',
};

/** @returns one `file:line: what is wrong` per wait. */
export function judgeSleeps(sources: readonly Source[]): string[] {
  return sources
    .filter(source => waits.test(source.text) && isTest.test(pathOf(source)) && !Object.hasOwn(reasons, pathOf(source)))
    .flatMap(source => {
      const tokens = tokensOf(source.text);
      return tokens.flatMap((token, i) => {
        const duration = durationOf(tokens, i);
        if (duration === undefined || duration < slowMs) return [];
        const remedy = 'await an event instead, or give the reason in scripts/dependencies/sleeps.ts';
        return [`${pathOf(source)}:${lineOf(source.text, token)}: waits ${duration} ms; ${remedy}`];
      });
    });
}

const pathOf = ({ from, file }: Source): string => `${from.folder}/${file}`;

/** Milliseconds of a wait that begins at the token: `sleep(300)`, `setTimeout(callback, 300)`. */
function durationOf(tokens: readonly Token[], at: number): number | undefined {
  const { kind, value } = tokens[at] ?? {};
  if (kind !== SyntaxKind.Identifier || tokens[at + 1]?.kind !== SyntaxKind.OpenParenToken) return undefined;
  if (value !== 'sleep' && value !== 'setTimeout') return undefined;
  const given = argumentsFrom(tokens, at + 2);
  const wanted = value === 'sleep' ? given[0] : given[1];
  return wanted === undefined ? undefined : largest(wanted, tokens);
}

/** The arguments of a call, each as its tokens. @param from after the opening parenthesis */
function argumentsFrom(tokens: readonly Token[], from: number): Token[][] {
  const found: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens.slice(from)) {
    if (opening.has(token.kind)) depth++;
    if (closing.has(token.kind) && depth-- === 0) break;
    if (token.kind === SyntaxKind.CommaToken && depth === 0) found.push([]);
    else found.at(-1)?.push(token);
  }
  return found;
}

const opening = new Set([SyntaxKind.OpenParenToken, SyntaxKind.OpenBraceToken, SyntaxKind.OpenBracketToken]);
const closing = new Set([SyntaxKind.CloseParenToken, SyntaxKind.CloseBraceToken, SyntaxKind.CloseBracketToken]);

/** The largest number in an expression, also by the name of a constant of the file. */
function largest(expression: readonly Token[], tokens: readonly Token[]): number | undefined {
  const numbers = expression.flatMap(token => {
    if (token.kind === SyntaxKind.NumericLiteral) return [Number(token.value)];
    const at = tokens.findIndex(({ value }, i) => value === token.value && tokens[i - 1]?.kind === SyntaxKind.ConstKeyword);
    const number = tokens[at + 2];
    return at > 0 && tokens[at + 1]?.kind === SyntaxKind.EqualsToken && number?.kind === SyntaxKind.NumericLiteral
      ? [Number(number.value)]
      : [];
  });
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}
