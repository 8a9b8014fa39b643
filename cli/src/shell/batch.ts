/** Runs a program without a prompt: a file, standard input, or lines of the command line. */
import { inspect } from 'node:util';
import { Evaluator } from './evaluator.js';
import { FailureTable } from './failure-table.js';
import { readWhole, runStatements } from './program-run.js';
import type { EvaluationHost } from './plain-host.js';
import type { Session } from './session.js';

interface BatchOptions {
  readonly session: Session;
  readonly output: NodeJS.WritableStream;
  /** Where `console.error` writes. Default: standard error. */
  readonly errors?: NodeJS.WritableStream;
  readonly args: readonly string[];
  readonly names: Readonly<Record<string, unknown>>;
  /** Continue after a failure. */
  readonly keepGoing: boolean;
  /** One line of JSON per value. */
  readonly json: boolean;
  /** Values of expressions are printed, as for lines that are typed. */
  readonly showValues?: boolean | undefined;
  /** What evaluates JavaScript. */
  readonly host?: EvaluationHost;
  /** Sees each line before it runs. */
  readonly onLine?: ((line: string) => void) | undefined;
}

/** @param file for messages; modules are found from its folder. @returns the exit code of the first failure, 0 without one. */
export async function runBatch(text: string, file: string, options: BatchOptions): Promise<number> {
  const { session, output, errors = process.stderr, args, names, keepGoing, json, showValues = false, host, onLine } = options;
  const evaluator = new Evaluator({
    session,
    args,
    names,
    keepGoing,
    console: { stdout: output, stderr: errors },
    host,
  });
  evaluator.engine.moveTo(file);
  // A list that nothing looks back at is not kept.
  session.remembers = /(?<![\w$])_(?![\w$])/.test(text);
  let firstFailure = 0;
  const failures = new FailureTable();
  try {
    const statements = readWhole(evaluator, text, file);
    const last = await runStatements(evaluator, statements, file, {
      keepGoing,
      onStatement: statement => {
        for (const line of statement.text.split('\n')) onLine?.(line);
      },
      onResult: ({ exitCode, value, isCommand, leaves, at, problem = '' }, _isLast, statement) => {
        if (showValues && !isCommand && value !== undefined) output.write(`${json ? JSON.stringify(value) : shown(value)}\n`);
        if (exitCode === 0 || leaves) return;
        session.context.tell(`${file}:${at?.line}:${at?.column}: failed with exit code ${exitCode}`);
        firstFailure ||= exitCode;
        failures.add({ place: `${at?.line}:${at?.column}`, exitCode, statement: statement.text, problem });
      },
    });
    if (keepGoing && !json) failures.tell(session.context.tell, statements.length);
    return firstFailure || last.exitCode;
  } catch (error) {
    return session.report(error);
  } finally {
    evaluator.close();
  }
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : inspect(value);
}
