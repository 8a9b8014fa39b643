/** Runs a program: what is typed at once, a paste, a file, standard input. */
import { UsageError } from '@srv/lib-commands';
import { OpenProgramError } from './program/parser.js';
import type { Evaluated, Evaluator } from './evaluator.js';
import type { Statement } from './program/statements.js';

interface RunOptions {
  /** Continue after a statement that failed. */
  readonly keepGoing?: boolean;
  /** Sees each statement before it runs. */
  readonly onStatement?: (statement: Statement) => void;
  /** Gets each result, in order. */
  readonly onResult?: (result: Evaluated, isLast: boolean, statement: Statement) => void;
}

/** Functions first: as in any program of JavaScript, they are known before their declaration. */
function inOrder(statements: readonly Statement[]): Statement[] {
  return [...statements.filter(({ isFunction }) => isFunction), ...statements.filter(({ isFunction }) => !isFunction)];
}

/**
 * Stops at the first failure unless it is to keep going, at a line that leaves, and at Ctrl-C.
 * @param file for messages.
 * @returns the result of the last statement that ran; of a program without any, that of a command.
 */
export async function runStatements(
  evaluator: Evaluator,
  statements: readonly Statement[],
  file: string,
  { keepGoing = false, onStatement, onResult }: RunOptions = {},
): Promise<Evaluated> {
  let last: Evaluated = { exitCode: 0, isCommand: true };
  const ordered = inOrder(statements);
  for (const [index, statement] of ordered.entries()) {
    onStatement?.(statement);
    last = await evaluator.evaluate(statement, file);
    onResult?.(last, index === ordered.length - 1, statement);
    if (last.leaves || last.isInterrupted || (last.exitCode !== 0 && !keepGoing)) break;
  }
  return last;
}

/**
 * A line, a paste, or several lines that were typed until they made a whole.
 * @returns the last result, whose value is not shown yet; `undefined` when the text is not complete.
 */
export async function evaluateTyped(evaluator: Evaluator, text: string, file: string): Promise<Evaluated | undefined> {
  const { server, session } = evaluator;
  try {
    const statements = evaluator.read(text, file, { prefersObjects: true });
    return await runStatements(evaluator, statements, file, {
      onResult: ({ exitCode, isCommand, value }, isLast) => {
        if (!isLast && exitCode === 0 && !isCommand && value !== undefined) server.output.write(`${server.writer(value)}\n`);
      },
    });
  } catch (error) {
    if (error instanceof OpenProgramError) return undefined;
    return { exitCode: session.report(error), isCommand: true };
  }
}

/** Nothing runs of a program that cannot run whole. @throws UsageError for what is wrong. */
export function readWhole(evaluator: Evaluator, text: string, file: string): Statement[] {
  try {
    return evaluator.read(text, file);
  } catch (error) {
    if (!(error instanceof OpenProgramError)) throw error;
    const line = text.trimEnd().split('\n').length;
    throw new UsageError(`${file}:${line}: the program is not complete: ${error.message}`);
  }
}
