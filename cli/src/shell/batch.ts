/** Runs lines without a prompt: a file, standard input, or one line of the command line. */
import { inspect } from 'node:util';
import { Evaluator, more } from './evaluator.js';
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
  /** Sees each line before it runs. */
  readonly onLine?: (line: string) => void;
}

/** @param file for messages. @returns the exit code of the first failure, 0 without one. */
export async function runBatch(text: string, file: string, options: BatchOptions): Promise<number> {
  const { session, output, errors = process.stderr, args, names, keepGoing, json, onLine } = options;
  const evaluator = new Evaluator({ session, args, names, console: { stdout: output, stderr: errors } });
  let firstFailure = 0;
  const fail = (exitCode: number, line: number): void => {
    session.context.tell(`${file}:${line}: failed with exit code ${exitCode}`);
    firstFailure ||= exitCode;
  };
  try {
    let pending = '';
    let begun = 0;
    for (const [index, line] of text.replace(/^#!.*/, '').split('\n').entries()) {
      if (pending === '') begun = index + 1;
      const whole = pending === '' ? line : `${pending}\n${line}`;
      if (whole.trim() === '') continue;
      onLine?.(line);
      const result = await evaluator.evaluate(whole, file);
      pending = result === more ? whole : '';
      if (result === more) continue;
      if (result.leaves) return firstFailure || result.exitCode;
      if (!result.isCommand && json && result.value !== undefined) output.write(`${JSON.stringify(result.value)}\n`);
      else if (!result.isCommand && result.value !== undefined) output.write(`${shown(result.value)}\n`);
      if (result.exitCode === 0) continue;
      fail(result.exitCode, begun);
      if (!keepGoing || session.context.signal.aborted) return firstFailure;
    }
    if (pending !== '') {
      session.context.tell('the last line is not complete');
      fail(1, begun);
    }
    return firstFailure;
  } finally {
    evaluator.close();
  }
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : inspect(value);
}
