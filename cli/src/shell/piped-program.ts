/** The end of a pipeline: a program of this machine. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { ExitError } from '@srv/lib-commands';

interface ProgramOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Where it prints; absent: to standard output itself. */
  readonly output?: NodeJS.WritableStream;
}

/** The end of a pipeline: a program that reads what a command prints. */
export class PipedProgram {
  readonly input: Writable;
  readonly #closed: Promise<unknown[]>;
  readonly #signal: AbortSignal;
  readonly #leave: () => void;
  /** Aborted when the program reads no more. */
  readonly #enough = new AbortController();

  constructor(line: string, { env, signal, output }: ProgramOptions) {
    const child = spawn('/bin/sh', ['-c', line], { env, stdio: ['pipe', output ? 'pipe' : 'inherit', 'inherit'] });
    this.#closed = once(child, 'close');
    this.#signal = signal;
    this.#leave = () => void child.kill('SIGTERM');
    signal.addEventListener('abort', this.#leave, { once: true });
    if (output) child.stdout?.pipe(output, { end: false });
    const input = child.stdin ?? new Writable({ write: (_chunk, _encoding, done) => done() });
    this.input = input.on('error', () => this.#enough.abort());
  }

  /** Lets the work print and waits for the program. Output that the program does not read is not a failure. */
  async take<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const enough = this.#enough;
    let made: T | undefined;
    try {
      made = await Promise.race([work(AbortSignal.any([this.#signal, enough.signal])), aborted(enough.signal)]);
    } catch (error) {
      if (!enough.signal.aborted) {
        this.input.end();
        throw error;
      }
    }
    this.input.end();
    const [code] = await this.#closed;
    this.#signal.removeEventListener('abort', this.#leave);
    if (code !== 0) throw new ExitError(typeof code === 'number' ? code : 1);
    return made;
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise(resolve => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
