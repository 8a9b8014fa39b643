/** A program as statements that run one after the other. */
import { statementCode } from './javascript.js';
import { OpenProgramError, parseProgram } from './parser.js';
import type { Node } from 'acorn';
import type { Place, Position, StatementCode } from './javascript.js';
import type { IsLine } from './parser.js';
import type { AnyPart } from './walk.js';

export interface Statement {
  /** As it is written. */
  readonly text: string;
  readonly start: Position;
  /** Of JavaScript; absent: a line of the shell. */
  readonly javascript?: StatementCode;
  /** A function: it is known to all statements, those before it too. */
  readonly isFunction: boolean;
}

/** What is wrong with the text of a program, and where. */
export class ProgramSyntaxError extends SyntaxError {
  override readonly name = 'SyntaxError';
  readonly at: Position;
  /** The line of the text. */
  readonly line: string;

  constructor(message: string, at: Position, line: string) {
    super(message);
    this.at = at;
    this.line = line;
  }
}

/**
 * @param text lines of the shell and statements of JavaScript, which may span lines.
 * @param prefersObjects a text that begins with a brace is an object if it can be one, as at the prompt of Node.js.
 * @throws OpenProgramError when more has to follow, ProgramSyntaxError.
 */
export function readStatements(text: string, isLine: IsLine, { prefersObjects = false } = {}): Statement[] {
  // The text of the first line is replaced by as many spaces: positions stay what they are.
  const program = text.replace(/^#!.*/, shebang => ' '.repeat(shebang.length)).replace(/\r\n?/g, '\n');
  const place = positions(program);
  if (prefersObjects && /^\s*\{/.test(program) && !/;\s*$/.test(program)) {
    const object = objectStatement(program, isLine);
    if (object) return [object];
  }
  try {
    return parseProgram(program, isLine).body.map(node => statementOf(program, node, place));
  } catch (error) {
    if (error instanceof OpenProgramError || !(error instanceof SyntaxError)) throw error;
    const { pos = 0 } = error as { pos?: number };
    const at = place(pos);
    throw new ProgramSyntaxError(error.message.replace(/ \(\d+:\d+\)$/, ''), at, program.split('\n')[at.line - 1] ?? '');
  }
}

function statementOf(program: string, node: Node, place: Place): Statement {
  const part = node as AnyPart;
  const common = { text: program.slice(node.start, node.end), start: place(node.start), isFunction: part.type === 'FunctionDeclaration' };
  if (part.type === 'ShellLine') return common;
  if (part.type.startsWith('Export')) throw Object.assign(new SyntaxError('a program has nothing to export'), { pos: node.start });
  return { ...common, javascript: statementCode(program, node, place) };
}

function objectStatement(program: string, isLine: IsLine): Statement | undefined {
  try {
    // Its brace takes the place of nothing: the columns of the first line are those after it.
    const [node, ...others] = parseProgram(`(${program}\n)`, isLine).body;
    if (!node || others.length > 0) return undefined;
    const code = statementCode(`(${program}\n)`, node, positions(program));
    return { text: program, start: { line: 1, column: 1 }, isFunction: false, javascript: { ...code, offset: code.offset + 1 } };
  } catch {
    return undefined;
  }
}

/** @returns the position of an offset. */
function positions(text: string): Place {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return offset => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}
