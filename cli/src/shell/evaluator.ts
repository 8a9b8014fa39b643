/** Evaluates the statements of programs: lines of the shell by the session, everything else as JavaScript. */
import { Console } from 'node:console';
import { EventEmitter } from 'node:events';
import { start } from 'node:repl';
import { PassThrough, Writable } from 'node:stream';
import { types } from 'node:util';
import { runInContext } from 'node:vm';
import { fieldsOf, isLineOfWords } from '@srv/engine/shell';
import { messageOf } from '@srv/kernel';
import { UsageError, interrupted } from '@srv/lib-commands';
import { CommandResult } from './command-result.js';
import { isInterruption } from './interruptions.js';
import { JavaScriptEngine, failedIn, positionOf } from './javascript-engine.js';
import { LeaveError, exitCodeOfLine, leaves } from './leaving.js';
import { callsProgram, lineOfWords, lineWithValues, readLine } from './line.js';
import { parallel } from './parallel.js';
import { ProgramSyntaxError, readStatements } from './program/statements.js';
import { scriptClient } from './script-client.js';
import { problemOf } from './session.js';
import { unknownWord } from './unknown-word.js';
import type { Filter } from '@srv/engine/shell';
import type { Scope } from './javascript-engine.js';
import type { Line } from './line.js';
import type { ParallelOptions } from './parallel.js';
import type { EvaluationHost } from './plain-host.js';
import type { Position } from './program/javascript.js';
import type { Statement } from './program/statements.js';
import type { Outcome, Session } from './session.js';

export interface Evaluated {
  readonly exitCode: number;
  /** Of JavaScript: the value of the expression. */
  readonly value?: unknown;
  readonly isCommand: boolean;
  /** The line ends the shell. */
  readonly leaves?: true;
  /** Where it failed. */
  readonly at?: Position | undefined;
  /** Why, in one line. */
  readonly problem?: string;
  /** Ctrl-C ended it. */
  readonly isInterrupted?: true;
}

interface EvaluatorOptions {
  readonly session: Session;
  /** `$1`, `$2`, … and `args`. */
  readonly args: readonly string[];
  /** Further names for JavaScript. */
  readonly names: Readonly<Record<string, unknown>>;
  /** What evaluates JavaScript. Default: a REPL without input. */
  readonly host?: EvaluationHost | undefined;
  /** Work on many items continues after a failure. */
  readonly keepGoing?: boolean;
  /** What `console` of JavaScript writes to. Default: the terminal of the REPL. */
  readonly console?: { readonly stdout: NodeJS.WritableStream; readonly stderr: NodeJS.WritableStream };
}

/** What is in node:domain, in which node:repl runs JavaScript. */
interface Domain extends EventEmitter {
  run<T>(work: () => T): T;
}

export class Evaluator {
  readonly server: EvaluationHost;
  readonly engine: JavaScriptEngine;
  readonly session: Session;
  readonly #args: readonly string[];
  readonly #keepGoing: boolean;
  readonly #given: Readonly<Record<string, unknown>>;
  readonly #domain: Domain | undefined;
  /** Of the JavaScript that runs. */
  #onFault: ((error: unknown) => void) | undefined;

  constructor({ session, args, names, host = unattended(), keepGoing = false, console }: EvaluatorOptions) {
    this.session = session;
    this.#args = args;
    this.#keepGoing = keepGoing;
    this.#given = names;
    this.server = host;
    Object.assign(this.server.context, this.#names(), names);
    this.engine = new JavaScriptEngine(this.server.context, (line, scope, at) =>
      this.#lineWithin(line, scope).catch((error: unknown) => {
        failedIn(at, error);
        throw error;
      }),
    );
    if (console) Object.defineProperty(this.server.context, 'console', { configurable: true, writable: true, value: new Console(console) });
    session.compileFilter = expression => this.#filter(expression);
    this.#domain = this.#takeFaults();
  }

  /** node:repl prints what JavaScript throws, through its domain; here it also decides the exit code. */
  #takeFaults(): Domain | undefined {
    const domain: unknown = Reflect.get(this.server, '_domain');
    if (!(domain instanceof EventEmitter)) return undefined;
    domain.removeAllListeners('error');
    domain.on('error', (error: unknown) => {
      // Of an earlier statement, which was waited for until then.
      if (isInterruption(error)) return;
      if (this.#onFault) this.#onFault(error);
      else this.session.report(error);
    });
    return domain as Domain;
  }

  /**
   * The statements of a program, or of one line.
   * @param file for messages.
   * @throws OpenProgramError when more has to follow, UsageError for what is wrong.
   */
  read(text: string, file: string, options?: { readonly prefersObjects?: boolean }): Statement[] {
    try {
      return readStatements(text, line => this.#isLine(line), options);
    } catch (error) {
      if (!(error instanceof ProgramSyntaxError)) throw error;
      const unknown = unknownWord(error.line, error, this.session);
      const { line, column } = error.at;
      throw new UsageError(
        `${file}:${line}:${column}: ${unknown ?? `${error.message}\n  ${error.line}\n  ${' '.repeat(Math.max(0, column - 1))}^`}`,
      );
    }
  }

  /** @param file for messages. */
  async evaluate(statement: Statement, file: string): Promise<Evaluated> {
    if (statement.javascript) return this.#javascript(statement, file);
    const { text, start: at } = statement;
    const left = leaves(text);
    if (left !== undefined) {
      // A variable of that name is a variable.
      const [variable] = this.#read(left.word) === undefined ? [] : readStatements(text, () => false);
      if (variable) return this.#javascript({ ...variable, start: at }, file);
      return this.#leave(text, at);
    }
    const outcome = await this.#command(text);
    return { ...outcome, isCommand: true, at: outcome.exitCode === 0 ? undefined : at, ...this.#interruption() };
  }

  close(): void {
    this.server.close();
  }

  #isLine(line: string): boolean {
    const [, alone = ''] = /^(\w+)\s*;?$/.exec(line.trim()) ?? [];
    // A name that was given to this shell means that, as `config` does in `srv repl`.
    if (Object.hasOwn(this.#given, alone)) return false;
    return (
      leaves(line) !== undefined ||
      callsProgram(line) ||
      this.session.isCommand(line) ||
      isLineOfWords(line) ||
      this.session.endsInReader(line)
    );
  }

  #leave(text: string, at: Position): Evaluated {
    try {
      return { exitCode: exitCodeOfLine(text, name => this.#variable(name)), isCommand: true, leaves: true };
    } catch (error) {
      return { exitCode: this.session.report(error), isCommand: true, at };
    }
  }

  /** Ctrl-C for the program, and not for one of its lines alone. */
  #interruption(error?: unknown): Pick<Evaluated, 'isInterrupted'> {
    return this.session.context.signal.aborted || isInterrupt(error) ? { isInterrupted: true } : {};
  }

  async #command(line: string): Promise<Outcome> {
    let read: Line;
    try {
      read = readLine(line, name => this.#variable(name));
    } catch (error) {
      return { exitCode: this.session.report(error), problem: problemOf(error) };
    }
    const { data, ...outcome } = await this.session.run(read);
    if (outcome.exitCode === 0) this.remember(data);
    return outcome;
  }

  /** A line of the shell within a statement of JavaScript. @throws what the command throws. */
  async #lineWithin(line: string, scope: Scope): Promise<void> {
    const variables = (name: string): string | undefined => this.#variable(name, scope);
    if (leaves(line) !== undefined) throw new LeaveError(exitCodeOfLine(line, variables));
    this.remember(await this.session.call(readLine(line, variables)));
  }

  async #javascript(statement: Statement, file: string): Promise<Evaluated> {
    try {
      const value = await this.session.interruptible(signal => this.#run(statement, file, signal));
      if (value !== undefined) this.remember(value);
      return { exitCode: 0, value, isCommand: false };
    } catch (error) {
      if (error instanceof LeaveError) return { exitCode: error.exitCode, isCommand: true, leaves: true };
      const unknown = unknownWord(statement.text, error, this.session);
      const exitCode = this.session.report(unknown === undefined ? error : new UsageError(unknown));
      return {
        exitCode,
        isCommand: false,
        at: positionOf(error, file, statement),
        problem: problemOf(error),
        ...this.#interruption(error),
      };
    } finally {
      this.#onFault = undefined;
    }
  }

  #run(statement: Statement, file: string, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(interrupted()), { once: true });
      this.#onFault = reject;
      const evaluate = (): void => {
        try {
          // Not resolved with a promise: a fault or Ctrl-C may come first.
          Promise.resolve(this.engine.run(statement, file)).then(resolve, reject);
        } catch (error) {
          reject(error);
          // What it left running must end, too.
          if (isInterrupt(error)) this.session.interrupt();
        }
      };
      breakable(() => (this.#domain ? this.#domain.run(evaluate) : evaluate()));
    });
  }

  /** `_` of the next line. */
  remember(data: unknown): void {
    Object.assign(this.server, { last: data });
  }

  /** @param scope variables that are seen where the line stands. */
  #variable(name: string, scope: Scope = {}): string | undefined {
    if (/^\d+$/.test(name)) return this.#args[Number(name) - 1];
    const value: unknown = valueIn(scope, name) ?? this.#read(name) ?? this.session.context.env[name];
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
    return found => {
      try {
        return Boolean(Reflect.apply(keeps, undefined, [found, Object(found)]));
      } catch (error) {
        const [, name] = /^(\S+) is not defined$/.exec(types.isNativeError(error) ? error.message : '') ?? [];
        if (name === undefined) throw error;
        throw new UsageError(`| where ${expression}: no field is called ${name}; the fields are ${fieldsOf([found]).join(', ')}`);
      }
    };
  }

  /** @param rest the values of a template, or the variables that are seen where a line stands. */
  #lineOf(line: unknown, rest: readonly unknown[]): Line {
    const variables = (name: string): string | undefined => this.#variable(name, isTemplate(line) ? {} : (rest[0] as Scope | undefined));
    if (typeof line === 'string') return readLine(line, variables);
    if (isTemplate(line)) return lineWithValues(line, rest, variables);
    if (Array.isArray(line)) return lineOfWords(line);
    throw new UsageError(
      `run takes a line, a list of words, or a template such as run\`stat \${path}\`; not ${line === null ? 'null' : typeof line}`,
    );
  }

  #names(): Record<string, unknown> {
    const session = this.session;
    return {
      args: [...this.#args],
      env: session.context.env,
      /** The data of a command, without printing: of a line, of words, of a line with values in it. */
      run: (line: unknown, ...rest: readonly unknown[]) => {
        const here = new Error('run');
        const begun = (async () => session.begin(this.#lineOf(line, rest)))();
        return new CommandResult(begun, error => {
          failedIn(here, error);
          throw error;
        });
      },
      /** The typed client of the server. */
      client: () => scriptClient(session.client()),
      parallel: (items: AsyncIterable<unknown>, fn: (item: unknown, index: number) => unknown, options?: ParallelOptions) =>
        session.interruptible(signal =>
          parallel(items, fn, options, { signal, keepGoing: this.#keepGoing, progress: title => session.context.progress(title) }),
        ),
    };
  }
}

/** What a function gets before a template in backquotes. */
function isTemplate(line: unknown): line is readonly string[] {
  return Array.isArray(line) && 'raw' in line;
}

/** The value of a variable where a line stands. */
function valueIn(scope: Scope, name: string): unknown {
  try {
    return Object.hasOwn(scope, name) ? scope[name]?.() : undefined;
  } catch {
    // It does not exist, or has no value yet.
    return undefined;
  }
}

/**
 * JavaScript that Ctrl-C ends even when it never waits. While the process has listeners of its own for the signal,
 * Node.js ends the process instead; in raw mode the key does not send a signal.
 */
function breakable(evaluate: () => void): void {
  const listeners = process.rawListeners('SIGINT') as NodeJS.SignalsListener[];
  const { stdin } = process;
  const wasRaw = stdin.isTTY && stdin.isRaw;
  process.removeAllListeners('SIGINT');
  if (wasRaw) stdin.setRawMode(false);
  try {
    evaluate();
  } finally {
    if (wasRaw) stdin.setRawMode(true);
    for (const listener of listeners) process.on('SIGINT', listener);
  }
}

/** Of JavaScript that did not wait, or caused by that; the error was made among the names of the shell, by classes of its own. */
function isInterrupt(error: unknown): boolean {
  if (!types.isNativeError(error)) return false;
  return ('code' in error && error.code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED') || isInterrupt(error.cause);
}

/** A REPL without input, used for its names of JavaScript. */
function unattended(): EvaluationHost {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  return start({ prompt: '', input: new PassThrough(), output, terminal: false, useGlobal: false, preview: false });
}
