/** Python programs of others, where they are installed. */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

const run = promisify(execFile);
/** Milliseconds of all steps of a process. */
const longest = 600_000;

/** Own configuration files of these programs must not matter. */
const environment = () => ({ PATH: process.env.PATH, HOME: '/nonexistent', PYTHONDONTWRITEBYTECODE: '1' });

/** Fails unless all its arguments are modules. Importing them would take up to two seconds. */
const looksUp = 'import sys, importlib.util\nsys.exit(None in map(importlib.util.find_spec, sys.argv[1:]))';

/** A Python that has `modules`: `SRV_TEST_PYTHON`, or `python3`. `undefined` if there is no such Python. */
export function findPython(...modules: string[]): string | undefined {
  const program = process.env.SRV_TEST_PYTHON ?? 'python3';
  const { status } = spawnSync(program, ['-c', looksUp, ...modules], { stdio: 'ignore', timeout: 60_000 });
  return status === 0 ? program : undefined;
}

/** @returns standard output. @throws Error with everything it printed when it fails, or takes longer than five minutes. */
export async function runPython(python: string, args: readonly string[], cwd?: string): Promise<string> {
  try {
    const { stdout } = await run(python, args, {
      env: environment(),
      timeout: 300_000,
      maxBuffer: 64 * 1024 * 1024,
      cwd,
    });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '', message = '' } = error as { stdout?: string; stderr?: string; message?: string };
    throw new Error(`${message}\n${stdout}\n${stderr}`.slice(-8000), { cause: error });
  }
}

/**
 * A program that takes steps from standard input, one JSON array a line, and answers each with a line, `{"printed": …}` or
 * `{"error": …}`: for clients that take longer to import than to do their steps. It runs until `end`, ten minutes at most.
 */
export class PythonProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #answers: AsyncIterator<string>;
  #complaints = '';

  constructor(python: string, args: readonly string[], cwd: string) {
    this.#child = spawn(python, args, { cwd, env: environment(), stdio: ['pipe', 'pipe', 'pipe'], timeout: longest });
    this.#child.stdin.on('error', () => undefined);
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#complaints += text));
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Steps follow one another. @returns what the step printed. @throws Error with its trace when it fails. */
  async call(step: readonly string[]): Promise<string> {
    this.#child.stdin.write(`${JSON.stringify(step)}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error(`${step.join(' ')}: the program ended\n${this.#complaints}`.slice(-8000));
    const { printed, error } = JSON.parse(value) as { readonly printed?: string; readonly error?: string };
    if (printed === undefined) throw new Error(`${step.join(' ')}: ${error ?? value}`.slice(-8000));
    return printed;
  }

  async end(): Promise<void> {
    const isOver = this.#child.exitCode !== null || this.#child.signalCode !== null;
    const closed = isOver ? undefined : once(this.#child, 'close');
    this.#child.stdin.end();
    await closed;
  }
}
