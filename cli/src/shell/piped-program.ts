/** Programs of this machine in a pipeline: a line for `sh`. */

import { spawn } from 'node:child_process';
import { pipeline } from 'node:stream/promises';
import { ExitError } from '@srv/lib-commands';
import { closedSignal, copyTo } from '../output/outlet.js';
import { endOf } from '../plugins/child-end.js';
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';

interface ProgramOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** `$1`, `$2`, … of the line. */
  readonly args: readonly string[];
  /** Where it prints; absent: to standard output itself. */
  readonly output?: NodeJS.WritableStream;
  /** Where it complains; absent: to standard error itself. */
  readonly errors?: NodeJS.WritableStream;
}

type Print = (signal: AbortSignal, output: NodeJS.WritableStream) => Promise<unknown>;

/** Runs a program that reads nothing of ours. @throws ExitError with its exit code. */
export async function runProgram(line: string, options: ProgramOptions & { readonly input?: 'inherit' | Readable }): Promise<void> {
  const { input = 'inherit' } = options;
  const child = start(line, options, input === 'inherit' ? 'inherit' : 'pipe');
  if (input !== 'inherit' && child.stdin) pipeline(input, child.stdin).catch(() => {});
  await ended(child, options);
}

/**
 * Runs a program that reads what `print` prints. When it has read enough, `print` is interrupted: that is not a failure.
 * @returns what `print` returned. @throws what it throws, ExitError with the exit code of the program.
 */
export async function runReader<T>(
  line: string,
  options: ProgramOptions,
  print: (...args: Parameters<Print>) => Promise<T>,
): Promise<T | undefined> {
  const child = start(line, options, 'pipe');
  const { stdin } = child;
  if (!stdin) throw new Error(`${line}: no standard input`);
  const enough = closedSignal(stdin);
  const left = new AbortController();
  const leave = (): void => left.abort();
  enough.addEventListener('abort', leave);
  // A program that ends without reading closes nothing that is never written to.
  child.once('exit', leave);
  const whole = ended(child, options);
  whole.catch(() => {});
  let made: T | undefined;
  try {
    made = await Promise.race([print(AbortSignal.any([options.signal, left.signal]), stdin), aborted(left.signal)]);
  } catch (error) {
    if (!left.signal.aborted || options.signal.aborted) throw error;
  } finally {
    stdin.end();
  }
  await whole;
  return made;
}

function start(line: string, { env, args, output, errors }: ProgramOptions, input: 'inherit' | 'pipe'): ChildProcess {
  return spawn('/bin/sh', ['-c', line, 'cli', ...args], {
    env,
    stdio: [input, output ? 'pipe' : 'inherit', errors ? 'pipe' : 'inherit'],
  });
}

async function ended(child: ChildProcess, { signal, output, errors }: ProgramOptions): Promise<void> {
  const leave = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  try {
    const copying = Promise.all([copied(child.stdout, output), copied(child.stderr, errors)]);
    const code = await endOf(child, signal);
    await copying;
    if (code !== 0) throw new ExitError(code ?? 1);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise(resolve => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

async function copied(from: Readable | null, to: NodeJS.WritableStream | undefined): Promise<void> {
  if (from && to) await copyTo(to, from);
}
