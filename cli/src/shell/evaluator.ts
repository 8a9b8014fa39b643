/** Evaluates lines: commands by the session, everything else as JavaScript with top-level await. */
import { Console } from 'node:console';
import { EventEmitter } from 'node:events';
import { Recoverable, start } from 'node:repl';
import { PassThrough, Writable } from 'node:stream';
import { runInContext } from 'node:vm';
import { OpenLineError, splitStages, splitWords } from '@srv/engine/shell';
import { messageOf } from '@srv/kernel';
import { UsageError, forEachParallel } from '@srv/lib-commands';
import { unknownWord } from './unknown-word.js';
import type { REPLServer, ReplOptions } from 'node:repl';
import type { Filter } from '@srv/engine/shell';
import type { Session } from './session.js';

/** The line is not complete; another one follows. */
export const more = Symbol('more');

export interface Evaluated {
  readonly exitCode: number;
  /** Of JavaScript: the value of the expression. */
  readonly value?: unknown;
  readonly isCommand: boolean;
  /** The line ends the shell. */
  readonly leaves?: true;
}

interface EvaluatorOptions {
  readonly session: Session;
  /** `$1`, `$2`, … and `args`. */
  readonly args: readonly string[];
  /** Further names for JavaScript. */
  readonly names: Readonly<Record<string, unknown>>;
  readonly repl?: ReplOptions;
  /** What `console` of JavaScript writes to. Default: the terminal of the REPL. */
  readonly console?: { readonly stdout: NodeJS.WritableStream; readonly stderr: NodeJS.WritableStream };
}

type ReplEval = REPLServer['eval'];

export class Evaluator {
  readonly server: REPLServer;
  readonly #session: Session;
  readonly #args: readonly string[];
  readonly #given: Readonly<Record<string, unknown>>;
  readonly #javascript: ReplEval;
  /** Of the JavaScript that runs. */
  #onFault: ((error: unknown) => void) | undefined;

  constructor({ session, args, names, repl = unattended(), console }: EvaluatorOptions) {
    this.#session = session;
    this.#args = args;
    this.#given = names;
    this.server = start({ prompt: '', ...repl, useGlobal: false, preview: false });
    this.#javascript = this.server.eval;
    Object.assign(this.server.context, this.#names(), names);
    if (console) Object.defineProperty(this.server.context, 'console', { configurable: true, writable: true, value: new Console(console) });
    session.compileFilter = expression => this.#filter(expression);
    this.#takeFaults();
  }

  /** node:repl prints what JavaScript throws, through its domain; here it also decides the exit code. */
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
    const leave = /^(?:(exit|quit)(?:\s+(\d{1,3}))?|\\q)\s*;?$/.exec(line.trim());
    if (leave && this.#read(leave[1] ?? '') === undefined) return { exitCode: Number(leave[2] ?? 0), isCommand: true, leaves: true };
    const [, alone = ''] = /^(\w+)\s*;?$/.exec(line.trim()) ?? [];
    // A name that was given to this shell means that, as `config` does in `srv repl`.
    return this.#session.isCommand(line) && !Object.hasOwn(this.#given, alone) ? this.#command(line) : this.#script(line, file);
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
    const [first = '', ...stages] = splitStages(line.trimEnd());
    try {
      words = splitWords(first, name => this.#variable(name));
    } catch (error) {
      if (error instanceof OpenLineError) return more;
      return { exitCode: this.#session.report(error), isCommand: true };
    }
    const { data, exitCode } = await this.#session.run(words, stages);
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
      const unknown = unknownWord(line, error, this.#session);
      return { exitCode: this.#session.report(unknown === undefined ? error : new UsageError(unknown)), isCommand: false };
    } finally {
      this.#onFault = undefined;
    }
  }

  #run(line: string, file: string, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('interrupted')), { once: true });
      this.#onFault = reject;
      const done = (error: Error | null, value: unknown): void => (error ? reject(error) : resolve(value));
      breakable(() => this.#javascript.call(this.server, `${line}\n`, this.server.context, file, done));
    });
  }

  /** `_` of the next line. */
  remember(data: unknown): void {
    Object.assign(this.server, { last: data });
  }

  #variable(name: string): string | undefined {
    if (/^\d+$/.test(name)) return this.#args[Number(name) - 1];
    const value: unknown = this.#read(name) ?? this.#session.context.env[name];
    return value === undefined || typeof value === 'object' ? undefined : String(value as string | number | boolean);
  }

  /** A JavaScript variable, however declared; `undefined`: it does not exist, or has no value yet. */
  #read(name: string): unknown {
    if (!/^[A-Za-z_$][\w$]*$/.test(name)) return undefined;
    try {
      return runInContext(`typeof ${name} === 'undefined' ? undefined : ${name}`, this.server.context);
    } catch {
      return undefined;
    }
  }

  /** @throws UsageError for an invalid expression. */
  #filter(expression: string): Filter {
    let keeps: unknown;
    try {
      keeps = runInContext(`(function (item, fields) { with (fields) { return (${expression}\n); } })`, this.server.context);
    } catch (error) {
      throw new UsageError(`| where ${expression}: ${messageOf(error)}`);
    }
    if (typeof keeps !== 'function') throw new UsageError(`| where ${expression}: no expression`);
    return found => Boolean(Reflect.apply(keeps, undefined, [found, Object(found)]));
  }

  #names(): Record<string, unknown> {
    const session = this.#session;
    return {
      args: [...this.#args],
      env: session.context.env,
      /** The data of a command, without printing. */
      run: (line: string) => {
        const [first = '', ...stages] = splitStages(line);
        return session.call(
          splitWords(first, name => this.#variable(name)),
          false,
          stages,
        );
      },
      /** The typed client of the server. */
      client: () => session.client(),
      parallel,
    };
  }
}

/**
 * JavaScript that Ctrl-C ends even when it never waits. While the process has listeners of its own for the signal,
 * Node.js ends the process instead.
 */
function breakable(evaluate: () => void): void {
  const listeners = process.rawListeners('SIGINT') as NodeJS.SignalsListener[];
  process.removeAllListeners('SIGINT');
  try {
    evaluate();
  } finally {
    for (const listener of listeners) process.on('SIGINT', listener);
  }
}

/** Has been reported already. */
function isInterrupt(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED';
}

/** A REPL without input, used for its evaluation of JavaScript. */
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
