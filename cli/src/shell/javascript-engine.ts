/** Runs the code of statements, in the names and variables of one shell. */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { shellNames } from './program/javascript.js';
import type { Context } from 'node:vm';
import type { Position } from './program/javascript.js';
import type { Statement } from './program/statements.js';

/** Runs a line of the shell within JavaScript. @param scope the variables it names, where they exist. */
export type RunLine = (line: string, scope: Scope, at: Position) => Promise<void>;
export type Scope = Readonly<Record<string, () => unknown>>;

export class JavaScriptEngine {
  readonly #context: Context;
  /** Modules are found from here; absolute. */
  #place = resolve('.', 'shell');

  constructor(context: Context, runLine: RunLine) {
    this.#context = context;
    const hidden = {
      [shellNames.line]: runLine,
      [shellNames.load]: (specifier: unknown, options?: ImportCallOptions) => this.#load(String(specifier), options),
      [shellNames.imported]: withNames,
    };
    for (const [name, value] of Object.entries(hidden)) Object.defineProperty(context, name, { value });
  }

  /** Modules next to this file are found by `./name`, packages from its folder upwards. @param file need not exist. */
  moveTo(file: string): void {
    this.#place = resolve(file);
    Object.defineProperty(this.#context, 'require', {
      value: createRequire(this.#place),
      configurable: true,
      writable: true,
    });
  }

  /**
   * @param file what errors call the program.
   * @returns the value of an expression; of what waits, the promise.
   * @throws what the statement throws, and `interrupted` after Ctrl-C.
   */
  run({ javascript, start }: Statement, file: string): unknown {
    if (!javascript) throw new Error('not a statement of JavaScript');
    const script = new Script(javascript.code, {
      filename: file,
      lineOffset: start.line - 1,
      columnOffset: start.column - 1 - javascript.offset,
    });
    return script.runInContext(this.#context, { breakOnSigint: true, displayErrors: false });
  }

  async #load(specifier: string, options?: ImportCallOptions): Promise<unknown> {
    const isPath = /^\.{0,2}\//.test(specifier);
    const target = isPath ? pathToFileURL(resolve(this.#place, '..', specifier)).href : this.#packageUrl(specifier);
    return options === undefined ? import(target) : import(target, options);
  }

  /** Of a package: as `require` finds it from the program's folder; else what Node.js makes of the name. */
  #packageUrl(specifier: string): string {
    if (/^[a-z][a-z0-9+.-]+:/i.test(specifier)) return specifier;
    try {
      const found = createRequire(this.#place).resolve(specifier);
      return found.startsWith('/') || /^[A-Za-z]:/.test(found) ? pathToFileURL(found).href : found;
    } catch {
      return specifier;
    }
  }
}

/** @throws SyntaxError that names what a module does not export, as an import of Node.js does. */
function withNames(module: object, names: readonly string[], source: string): object {
  for (const name of names)
    if (!(name in module)) throw new SyntaxError(`The requested module '${source}' does not provide an export named '${name}'`);
  return module;
}

/** Where commands failed that JavaScript called: their errors were made elsewhere. */
const callsOf = new WeakMap<object, Position | Error>();

/** @param call where the program called what failed, or an error that was made there. */
export function failedIn(call: Position | Error, error: unknown): void {
  if (typeof error === 'object' && error !== null && !callsOf.has(error)) callsOf.set(error, call);
}

/** Where in a program an error was thrown; the beginning of the statement when the error does not say it. */
export function positionOf(error: unknown, file: string, { start }: Pick<Statement, 'start'>): Position {
  if (typeof error !== 'object' || error === null) return start;
  const call = callsOf.get(error) ?? error;
  if ('line' in call) return call as Position;
  const stack = 'stack' in call ? String(call.stack) : '';
  for (let at = stack.indexOf(`${file}:`); at >= 0; at = stack.indexOf(`${file}:`, at + 1)) {
    const [, line = '', column = ''] = /^(\d+):(\d+)/.exec(stack.slice(at + file.length + 1, at + file.length + 30)) ?? [];
    if (line === '') continue;
    const found = { line: Number(line), column: Number(column) };
    // The code of the statement begins with some that the program does not have.
    return found.line === start.line && found.column < start.column ? start : found;
  }
  return start;
}
