/** The shell of the page: the commands of `cli` at a place, against the server that the page came from. It knows no browser. */

import {
  CurrentUri,
  OpenLineError,
  ShellCompleter,
  WordParser,
  beginsWithCommand,
  fieldsOf,
  filtered,
  readPipeline,
  shellTable,
  splitStages,
  splitWords,
  unknownWordText,
  wordOf,
} from '@srv/engine/shell';
import { messageOf } from '@srv/kernel';
import {
  ExitError,
  UsageError,
  describeTerminal,
  echoLine,
  formats,
  isAnswerError,
  isExitError,
  noProgress,
  parallelismOf,
} from '@srv/lib-commands';
import { Elsewhere } from './elsewhere.js';
import { UnknownNameError, readExpression } from './expression.js';
import { pageHelp } from './help.js';
import { openCommand } from './open-command.js';
import { showResult } from './results.js';
import { serverClient } from './server-client.js';
import { globals } from './values.js';
import type { CommandTable, Filter, Invocation } from '@srv/engine/shell';
import type { CommandContext, OptionValue, SrvUri, UriReader } from '@srv/lib-commands';
import type { Origin, ShellEvent } from './protocol.js';
import type { Send } from './server-client.js';

interface PageShellOptions {
  readonly commands: CommandTable;
  /** First words of commands that run in `cli` only, with their plugins. */
  readonly elsewhere: Readonly<Record<string, string>>;
  readonly send: Send;
  /** Of the API. */
  readonly endpoint: URL;
  /** Asks the person; false when the line is stopped meanwhile. */
  readonly ask: (question: string, signal: AbortSignal) => Promise<boolean>;
}

type Emit = (event: ShellEvent) => void;

/** Standard input of a page. */
const nothing: CommandContext['input'] = { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }) };

/** Requests at a time, of commands that send many. */
const parallelRequests = 6;

export class PageShell {
  readonly place = new CurrentUri();
  readonly table: CommandTable;
  /** For completion, which outlives the lines. */
  readonly context: Pick<CommandContext, 'client'>;
  readonly #options: PageShellOptions;
  readonly #elsewhere: Elsewhere;
  readonly #variables = new Map<string, unknown>();
  readonly #completer: ShellCompleter;
  readonly #parser: WordParser;
  #running: AbortController | undefined;

  constructor(options: PageShellOptions) {
    this.#options = options;
    this.table = shellTable(options.commands, this.place);
    this.table.add(openCommand(this.place), 'ui');
    this.#elsewhere = new Elsewhere(options.elsewhere, this.table.firstWords());
    const client = serverClient(options.send, options.endpoint, new AbortController().signal);
    this.context = { client: async () => client };
    this.#completer = new ShellCompleter(this);
    this.#parser = new WordParser({ table: this.table, help: pageHelp(this.#elsewhere.names) });
  }

  /** Whether a line begins with a command, of the page or of `cli` alone. */
  isCommand(line: string): boolean {
    const words = this.table.firstWords();
    return beginsWithCommand(line, word => words.has(word) || this.#elsewhere.has(word));
  }

  /** Fields of what was listed last. */
  fields(): readonly string[] {
    return fieldsOf(this.#variables.get('_'));
  }

  /** Runs a line; results and failures are reported as they come. @returns whether it failed. */
  async run(line: string, emit: Emit): Promise<boolean> {
    if (/^\s*(#.*)?$/.test(line)) return false;
    if (/^(?:exit|quit|\\q)\s*;?$/.test(line.trim())) {
      emit({ kind: 'leave' });
      return false;
    }
    const running = new AbortController();
    this.#running = running;
    try {
      if (this.isCommand(line)) await this.#command(line, emit, running.signal);
      else this.#expression(line, emit);
      return false;
    } catch (error) {
      if (!isExitError(error)) emit({ kind: 'text', tone: 'error', text: running.signal.aborted ? 'stopped' : complaint(error) });
      return true;
    } finally {
      this.#running = undefined;
    }
  }

  /** Ends the line that runs. */
  stop(): void {
    this.#running?.abort(new Error('stopped'));
  }

  /** @returns candidates and the text that they replace. */
  async complete(line: string): Promise<{ readonly candidates: readonly string[]; readonly partial: string }> {
    const [candidates, partial] = (await this.#completer.complete(line)) ?? [[], ''];
    return { candidates: [...new Set(candidates)], partial };
  }

  async #command(line: string, emit: Emit, signal: AbortSignal): Promise<void> {
    const reason = this.#elsewhere.reason(line);
    const [first = '', ...stages] = splitStages(line.trimEnd());
    if (reason !== undefined && !this.#knows(first)) throw new UsageError(reason);
    const words = splitWords(first, name => this.#text(name));
    const fields = new Fields();
    const { filters, program } = readPipeline(stages, expression => this.#filter(expression, fields));
    if (program !== undefined)
      throw new UsageError(`a page cannot run ${JSON.stringify(program)}: filter items with | where, as in | where path.includes('png')`);
    const found = this.#parser.parse(words);
    let data: unknown;
    if ('help' in found) emit({ kind: 'text', text: found.help, tone: 'plain' });
    else data = await this.#perform(found, filters, emit, signal);
    signal.throwIfAborted();
    for (const name of fields.unknown) emit({ kind: 'text', tone: 'note', text: `no item has a field ${name}` });
    this.#variables.set('_', data);
  }

  /** A command of the page has the words, as `fs ls` when only another one of `fs` is for `cli`. */
  #knows(words: string): boolean {
    const text = words.trim().replace(/\s+/g, ' ');
    return this.table.list().some(({ command: { name } }) => text === name || text.startsWith(`${name} `));
  }

  async #perform({ command, input, globals }: Invocation, filters: readonly Filter[], emit: Emit, signal: AbortSignal): Promise<unknown> {
    const format = formats.find(known => known === globals['output']);
    let origin: Origin | undefined;
    const uri = noting(this.place.reader(), found => {
      origin = { repository: found.repository, ...(found.ref === undefined ? {} : { ref: found.ref }) };
    });
    const context = this.#contextOf(emit, signal, uri, format);
    // Content comes through the server: the policy of the page allows no other host.
    const options = 'pre-sign' in input.options ? { ...input.options, 'pre-sign': false } : input.options;
    const made = await command.run(context, { ...input, options });
    signal.throwIfAborted();
    const shown = await showResult(filtered(made, filters), { command, context, input, format, emit, origin: () => origin });
    if (command.failed?.(shown)) throw new ExitError(1);
    if (command.name === 'open') emit({ kind: 'open', uri: String(shown) });
    return shown;
  }

  #contextOf(emit: Emit, signal: AbortSignal, uri: UriReader, format: CommandContext['format']): CommandContext {
    const { send, endpoint, ask } = this.#options;
    const tell = (text: string): void => emit({ kind: 'text', text, tone: 'note' });
    const client = serverClient(send, endpoint, signal);
    return {
      configuration: {
        file: '',
        show: () => [],
        read: async () => {
          throw new UsageError('this command reads the configuration of cli, which a page does not have');
        },
      },
      terminal: describeTerminal({ env: {}, stdoutIsTerminal: false, stdinIsTerminal: true, noColor: true }),
      verbose: false,
      signal,
      uri,
      env: {},
      home: '',
      input: nothing,
      client: async () => client,
      echo: (label, at) => {
        if (format === undefined) tell(echoLine(label, at));
      },
      tell,
      warn: text => tell(`Warning: ${text}`),
      confirm: async (operation, question, yes: OptionValue) => {
        if (yes !== true && !(await ask(question, signal))) throw new Error(`${operation} aborted`);
      },
      progress: () => noProgress,
      attempts: 1,
      parallelism: option => parallelismOf(option, parallelRequests),
      format,
    };
  }

  #expression(line: string, emit: Emit): void {
    const text = line.trim().replace(/;$/, '');
    const [assigned = '', name] = /^(?:(?:const|let|var)\s+)?([A-Za-z_$][\w$]*)\s*=(?![=>])/.exec(text) ?? [];
    try {
      const value = readExpression(text.slice(assigned.length).trim()).evaluate(known => this.#variable(known));
      if (name !== undefined) this.#variables.set(name, value);
      else this.#variables.set('_', value);
      if (name === undefined) showValue(value, emit);
    } catch (error) {
      throw this.#unknownWord(line, error);
    }
  }

  /** A line of words that nothing understands is reported as such, not as a broken expression. */
  #unknownWord(line: string, error: unknown): unknown {
    const word = wordOf(line);
    const isUnknown = error instanceof UnknownNameError ? error.unknown === word?.split('-')[0] : error instanceof UsageError;
    if (word === undefined || !isUnknown || this.#variables.has(word)) return error;
    return new UsageError(unknownWordText(word, this.table.firstWords(), 'variable'));
  }

  #variable(name: string): { readonly value: unknown } | undefined {
    return this.#variables.has(name) ? { value: this.#variables.get(name) } : undefined;
  }

  #text(name: string): string | undefined {
    const value = this.#variables.get(name);
    return value === undefined || typeof value === 'object' ? undefined : String(value as string | number | boolean);
  }

  /** @throws UsageError for what is not an expression. */
  #filter(text: string, fields: Fields): Filter {
    let expression: ReturnType<typeof readExpression>;
    try {
      expression = readExpression(text);
    } catch (error) {
      throw new UsageError(`| where ${text}: ${messageOf(error)}`);
    }
    return item =>
      Boolean(
        expression.evaluate(name => {
          const isField = typeof item === 'object' && item !== null && Object.hasOwn(item, name);
          const other = name === 'item' ? { value: item } : this.#variable(name);
          fields.note(name, isField || other !== undefined || globals.has(name));
          if (isField) return { value: Reflect.get(item, name) };
          // A field that only some items have is nothing in the others.
          return other ?? (globals.has(name) ? undefined : { value: undefined });
        }),
      );
  }
}

/** Names that a filter asks for: those that no item has are misspelt. */
class Fields {
  readonly #found = new Map<string, boolean>();

  note(name: string, isThere: boolean): void {
    if (isThere || !this.#found.has(name)) this.#found.set(name, isThere);
  }

  get unknown(): readonly string[] {
    return [...this.#found].flatMap(([name, isThere]) => (isThere ? [] : [name]));
  }
}

function showValue(value: unknown, emit: Emit): void {
  if (value === undefined) return;
  if (typeof value === 'function') throw new UsageError('a function cannot be shown: give it a name, or call it');
  const isList =
    Array.isArray(value) && value.length > 0 && value.every(item => typeof item === 'object' && item !== null && !Array.isArray(item));
  if (isList) emit({ kind: 'rows', rows: value as readonly Readonly<Record<string, unknown>>[] });
  else emit({ kind: 'text', text: typeof value === 'string' ? value : JSON.stringify(value, null, 2), tone: 'plain' });
}

/** Passes each address that a command reads to `note`. */
function noting(reader: UriReader, note: (uri: SrvUri) => void): UriReader {
  const noted =
    <U extends SrvUri>(read: (argument: string, label?: string) => U) =>
    (argument: string, label?: string): U => {
      const uri = read(argument, label);
      note(uri);
      return uri;
    };
  return { repository: noted(reader.repository), ref: noted(reader.ref), branch: noted(reader.branch), path: noted(reader.path) };
}

/** What went wrong, with what to do where that is known. */
function complaint(error: unknown): string {
  if (error instanceof OpenLineError) return `${error.message}: a line of the page must be complete`;
  if (!isAnswerError(error)) return messageOf(error);
  const denied = error.status === 401 || error.status === 403;
  return denied ? `${error.message}\nYou have no permission for this: ask an administrator of the server.` : error.message;
}
