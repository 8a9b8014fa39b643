/** Streams of files that what ships opens: each has a listener for its errors, without which one ends the whole program. */
import { SyntaxKind } from 'typescript/unstable/ast';
import { lineOf, tokensOf } from './tokens.js';
import type { Source } from './source.js';
import type { Token } from './tokens.js';

const ships = /^(?!test\/|scripts\/)[^:]*\/(?:src|page)\/(?!testing\/)/;
const makers = new Set(['createReadStream', 'createWriteStream']);
/** They listen to the streams they are given. */
const takers = new Set(['pipeline', 'createInterface', 'text', 'buffer']);

/** @returns one `file:line: what is wrong` per stream. */
export function judgeStreamErrors(sources: readonly Source[]): string[] {
  return sources
    .filter(({ from, file, text }) => ships.test(`${from.folder}/${file}`) && [...makers].some(maker => text.includes(maker)))
    .flatMap(({ from, file, text }) =>
      tokensOf(text).flatMap((token, at, tokens) =>
        isCall(tokens, at) && !isHeard(tokens, at)
          ? [
              `${from.folder}/${file}:${lineOf(text, token)}: nothing listens to errors of this stream: add .on('error', …), or give it to pipeline`,
            ]
          : [],
      ),
    );
}

function isCall(tokens: readonly Token[], at: number): boolean {
  return makers.has(tokens[at]?.value ?? '') && tokens[at + 1]?.kind === SyntaxKind.OpenParenToken;
}

function isHeard(tokens: readonly Token[], at: number): boolean {
  if (listensTo(tokens, endOfCall(tokens, at + 1)) || isTaken(tokens, at)) return true;
  const named = nameBefore(tokens, at);
  if (named < 0) return false;
  const name = tokens[named]?.value;
  return tokens.some(({ value }, i) => value === name && i !== named && (isTaken(tokens, i) || listensTo(tokens, i + 1)));
}

/** Where the name is to which the statement gives the value at `at`; -1 without one. */
function nameBefore(tokens: readonly Token[], at: number): number {
  for (let i = at - 1; i >= 0; i--) {
    const kind = tokens[i]?.kind;
    if (kind === SyntaxKind.EqualsToken) return i - 1;
    if (kind === SyntaxKind.SemicolonToken || kind === SyntaxKind.OpenBraceToken || kind === SyntaxKind.OpenParenToken) return -1;
  }
  return -1;
}

/** `.on('error'` or `.once('error'`, also optional. */
function listensTo(tokens: readonly Token[], dot: number): boolean {
  const [first, method, , event] = tokens.slice(dot, dot + 4);
  const isDot = first?.kind === SyntaxKind.DotToken || first?.kind === SyntaxKind.QuestionDotToken;
  return isDot && (method?.value === 'on' || method?.value === 'once') && event?.value === 'error';
}

/** Whether the value at `at` is iterated, or is in the arguments of one that listens. */
function isTaken(tokens: readonly Token[], at: number): boolean {
  let depth = 0;
  for (let i = at - 1; i >= 0; i--) {
    const { kind, value } = tokens[i] ?? { kind: SyntaxKind.Unknown, value: '' };
    if (kind === SyntaxKind.SemicolonToken) return false;
    if (value === 'of' && depth === 0) return true;
    if (kind === SyntaxKind.CloseParenToken) depth++;
    if (kind === SyntaxKind.OpenParenToken && depth-- === 0) {
      if (takers.has(tokens[i - 1]?.value ?? '')) return true;
      depth = 0;
    }
  }
  return false;
}

/** The token after the call whose parenthesis opens at `open`. */
function endOfCall(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let i = open; i < tokens.length; i++) {
    if (tokens[i]?.kind === SyntaxKind.OpenParenToken) depth++;
    if (tokens[i]?.kind === SyntaxKind.CloseParenToken && --depth === 0) return i + 1;
  }
  return tokens.length;
}
