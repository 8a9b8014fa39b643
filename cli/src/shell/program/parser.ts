/** The grammar of a program: statements of JavaScript, one kind of which is a line of the shell. */

import { lineEnd } from '@srv/engine/shell';
import { Parser, tokTypes } from 'acorn';
import type { Node, Options, Program, TokenType } from 'acorn';

/** The text ends where more has to follow. */
export class OpenProgramError extends SyntaxError {}

/** A line of the shell where a statement may stand. */
export interface ShellLine extends Node {
  readonly type: 'ShellLine';
}

/** Whether a line that begins where a statement may begin is one of the shell. */
export type IsLine = (line: string) => boolean;

/** What acorn gives to those who extend its parser, beyond its published types. */
interface Internals {
  input: string;
  pos: number;
  start: number;
  type: { readonly label: string; readonly keyword?: string };
  exprAllowed: boolean;
  readonly canAwait: boolean;
  readonly options: Options;
  startNode(): Node;
  finishNode(node: Node, type: string): Node;
  finishToken(type: TokenType, value: string): void;
  next(): void;
  raise(at: number, message: string): never;
}

type Step = (this: Internals, ...args: readonly unknown[]) => unknown;

const base = Parser.prototype as unknown as Readonly<Record<'readToken' | 'skipSpace' | 'parseStatement' | 'parseClass' | 'raise', Step>>;

const backslash = 92;
/** Messages about what the end of the text leaves open. */
const open = /^Unterminated (template|comment)/;
/** Words that begin statements, and so no line of the shell, except `import`, whose command looks different. */
const statementWords = new Set(
  'async await break case catch class const continue debugger default delete do else export finally for function if let new return super switch this throw try typeof var void while with yield'.split(
    ' ',
  ),
);

const options: Options = {
  ecmaVersion: 'latest',
  sourceType: 'script',
  allowAwaitOutsideFunction: true,
  allowImportExportEverywhere: true,
};

/**
 * @param isLine decides about each place where a statement may begin at the start of a line.
 * @throws OpenProgramError when more has to follow; SyntaxError with `pos`, the offset, for what is wrong.
 */
export function parseProgram(text: string, isLine: IsLine): Program {
  class ProgramParser extends Parser {
    /** Classes around the current token: a name with `#` may begin a line there. */
    classes = 0;
  }
  const steps: Readonly<Record<string, Step>> = {
    skipSpace() {
      base.skipSpace.call(this);
      while (isComment(this, (this as unknown as ProgramParser).classes)) {
        const end = this.input.indexOf('\n', this.pos);
        this.pos = end < 0 ? this.input.length : end;
        base.skipSpace.call(this);
      }
    },
    readToken(code) {
      // JavaScript has no such escape; the line is that which leaves the shell.
      if (code !== backslash || this.input[this.pos + 1] !== 'q' || !isLineStart(this.input, this.pos))
        return base.readToken.call(this, code);
      this.pos += 2;
      return this.finishToken(tokTypes.name, 'q');
    },
    parseStatement(...args) {
      if (!beginsLine(this) || !isShellLine(this, isLine)) return base.parseStatement.call(this, ...args);
      return shellLine(this);
    },
    parseClass(...args) {
      const parser = this as unknown as ProgramParser;
      parser.classes++;
      try {
        return base.parseClass.call(this, ...args);
      } finally {
        parser.classes--;
      }
    },
    raise(at, message) {
      if (this.type.label === 'eof' || open.test(String(message))) throw new OpenProgramError(String(message));
      return base.raise.call(this, at, message);
    },
  };
  Object.assign(ProgramParser.prototype, steps, { raiseRecoverable: steps.raise });
  return ProgramParser.parse(text, options);
}

/** `# text` at the start of a line; outside classes `#text`, too. */
function isComment({ input, pos }: Internals, classes: number): boolean {
  if (input[pos] !== '#' || !isLineStart(input, pos)) return false;
  return classes === 0 || !/[\p{ID_Start}$_\\]/u.test(input.charAt(pos + 1));
}

function beginsLine({ input, start }: Internals): boolean {
  return isLineStart(input, start);
}

/** Only spaces come before on the line. */
function isLineStart(input: string, at: number): boolean {
  for (let before = at - 1; before >= 0; before--) {
    const character = input.charAt(before);
    if (character === '\n' || character === '\r') return true;
    if (!/\s/.test(character)) return false;
  }
  return true;
}

function isShellLine({ input, start, type }: Internals, isLine: IsLine): boolean {
  if (type.label === 'eof') return false;
  const end = input.indexOf('\n', start);
  const line = input.slice(start, end < 0 ? undefined : end);
  const word = /^[\w$-]+/.exec(line)?.[0] ?? '';
  return !statementWords.has(word) && isLine(line);
}

/** To the end of the line; an open quote and a backslash at the end continue it. */
function shellLine(parser: Internals): Node {
  const node = parser.startNode();
  if (!parser.canAwait) parser.raise(parser.start, 'a line of the shell takes time: it can only stand in an async function');
  const end = lineEnd(parser.input, parser.start);
  if (end === undefined) throw new OpenProgramError('the line is not complete');
  // The token that was read is the first word of the line, or a part of it.
  parser.pos = end;
  parser.exprAllowed = true;
  parser.next();
  return Object.assign(node, { type: 'ShellLine', end });
}
