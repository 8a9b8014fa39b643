/** Evaluates lines: commands by the session, everything else as JavaScript with top-level await. */
import { EventEmitter } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { start, Recoverable } from 'node:repl';
import type { REPLServer, ReplOptions } from 'node:repl';
import { forEachParallel } from '../transfer/pool.js';
import type { Session } from './session.js';
import { OpenLineError, splitWords } from './words.js';

/** The line is not complete; another one follows. */
export const more = Symbol('more');

export interface Evaluated {
  readonly exitCode: number;
  /** Of JavaScript: what the expression came to. */
  readonly value?: unknown;
  readonly isCommand: boolean;
}

export interface EvaluatorOptions {
  readonly session: Session;
  /** `$1`, `$2`, … and `args`. */
  readonly args: readonly string[];
  /** Further names for JavaScript. */
  readonly names: Readonly<Record<string, unknown>>;
  readonly repl?: ReplOptions;
}

type ReplEval = REPLServer['eval'];

export class Evaluator {
  readonly server: REPLServer;
  readonly #session: Session;
  readonly #args: readonly string[];
  readonly #javascript: ReplEval;
  /** Of the JavaScript that runs. */
  #onFault: ((error: unknown) => void) | undefined;

  constructor({ session, args, names, repl = unattended() }: EvaluatorOptions) {
    this.#session = session;
    this.#args = args;
    this.server = start({ prompt: '', ...repl, useGlobal: false, preview: false });
    this.#javascript = this.server.eval;
    Object.assign(this.server.context, this.#names(), names);
    this.#takeFaults();
  }

  /** node:repl prints what JavaScript throws, by way of its domain; here it decides about the exit code too. */
  #takeFaults(): void {
    const domain: unknown = Reflect.get(this.server, '_domain');
    if (!(domain instanceof EventEmitter)) return;
    domain.removeAllListeners('error');
    domain.on('error', (error: unknown) => {
      if (this.#onFault) this.#onFault(error);
      else if (!isInterrupt(error)) this.#session.report(error);
    });
  }

  /** Evaluates one line, or several that belong together. @returns {@link more} when the last one is not complete. */
  async evaluate(line: string, file: string): Promise<Evaluated | typeof more> {
    if (/^\s*(#.*)?$/.test(line)) return { exitCode: 0, isCommand: true };
    return this.#session.isCommand(line) ? this.#command(line) : this.#script(line, file);
  }

  /** JavaScript is running. */
  get scripting(): boolean {
    return this.#onFault !== undefined;
  }

  close(): void {
    this.server.close();
  }

  async #command(line: string): Promise<Evaluated | typeof more> {
    let words: string[];
    try {
      words = splitWords(line.trimEnd(), name => this.#variable(name));
    } catch (error) {
      if (error instanceof OpenLineError) return more;
      return { exitCode: this.#session.report(error), isCommand: true };
    }
    const { data, exitCode } = await this.#session.run(words);
    if (exitCode === 0) this.remember(data);
    return { exitCode, isCommand: true };
  }

  async #script(line: string, file: string): Promise<Evaluated | typeof more> {
    try {
      const value = await this.#session.interruptible(signal => this.#run(line, file, signal));
      if (value !== undefined) this.remember(value);
      return { exitCode: 0, value, isCommand: false };
    } catch (error) {
      if (error instanceof Recoverable || (error instanceof Error && error.cause instanceof Recoverable)) return more;
      return { exitCode: this.#session.report(error), isCommand: false };
    } finally {
      this.#onFault = undefined;
    }
  }

  #run(line: string, file: string, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('interrupted')), { once: true });
      this.#onFault = reject;
      const done = (error: Error | null, value: unknown): void => (error ? reject(error) : resolve(value));
      this.#javascript.call(this.server, `${line}\n`, this.server.context, file, done);
    });
  }

  /** `_` of the next line. */
  remember(data: unknown): void {
    Object.assign(this.server, { last: data });
  }

  #variable(name: string): string | undefined {
    if (/^\d+$/.test(name)) return this.#args[Number(name) - 1];
    const value: unknown = this.server.context[name] ?? this.#session.context.env[name];
    return value === undefined || typeof value === 'object' ? undefined : String(value as string | number | boolean);
  }

  #names(): Record<string, unknown> {
    const session = this.#session;
    return {
      args: [...this.#args],
      env: session.context.env,
      /** The data of a command, without printing. */
      run: (line: string) =>
        session.call(
          splitWords(line, name => this.#variable(name)),
          false,
        ),
      /** The typed client of the server. */
      client: () => session.client(),
      parallel,
    };
  }
}

/** Was told when it happened. */
function isInterrupt(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED';
}

/** A REPL nobody types into: it lends its evaluation of JavaScript. */
function unattended(): ReplOptions {
  return { input: new PassThrough(), output: new Writable({ write: (_chunk, _encoding, done) => done() }), terminal: false };
}

/**
 * Calls `fn` for every item, at most `n` at a time.
 * @returns results in the order of the items.
 */
export async function parallel<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  fn: (item: T, index: number) => Promise<R> | R,
  n = 10,
): Promise<R[]> {
  const results: R[] = [];
  await forEachParallel(numbered(items), n, async ({ item, index }) => {
    results[index] = await fn(item, index);
  });
  return results;
}

async function* numbered<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<{ readonly item: T; readonly index: number }> {
  let index = 0;
  for await (const item of items) yield { item, index: index++ };
}
