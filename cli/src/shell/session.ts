/** A session of the shell: runs lines that are commands, one after the other. */
import { ExitError, UsageError, echoLine, exitCodeOf, failureText } from '@srv/lib-commands';
import { setMaxListeners } from 'node:events';
import type { Command, CommandContext, CommandInput, OptionValue } from '@srv/kernel';
import type { Client } from '../client.js';
import { CommandTable } from '../command-table.js';
import { formats } from '../output/formats.js';
import type { Format } from '../output/formats.js';
import { printResult } from '../output/print.js';
import { isBytes, isStream } from '../output/streams.js';
import { buildProgram, normaliseHelp, normaliseSwitches, parserComplaint } from '../program.js';
import type { Invocation } from '../program.js';
import { placeCommands } from './builtins.js';
import { NotDone, Trial, localEffects, readOnly } from './dry-run.js';
import { PathPrograms } from './path-programs.js';
import { Place, withPlace } from './place.js';

export interface SessionOptions {
  /** Of the program that runs the shell. */
  readonly context: CommandContext;
  readonly output: NodeJS.WritableStream;
  /** Where programs on PATH complain when their output goes elsewhere than to standard output. Default: standard error. */
  readonly errors?: NodeJS.WritableStream;
  /** Form of every output: in scripts JSON is one line per command. */
  readonly format?: Format;
  readonly dryRun?: boolean;
}

/** What a line came to. */
export interface Outcome {
  readonly data?: unknown;
  readonly exitCode: number;
}

export class Session {
  readonly place = new Place();
  readonly table: CommandTable;
  readonly programs: PathPrograms;
  readonly #options: SessionOptions;
  /** First words that begin a command. */
  readonly #words: ReadonlySet<string>;
  #running: AbortController | undefined;
  /** Asks the person whose terminal the shell reads itself; absent: as the program does. */
  asks?: (question: string, signal: AbortSignal) => Promise<boolean>;
  /** Gives the terminal, which the shell reads itself, to a program while it runs; absent: nothing to give. */
  lends?: <T>(work: () => Promise<T>) => Promise<T>;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.table = new CommandTable(options.context.commands.packages);
    for (const command of placeCommands(this.place)) this.table.add(command, 'cli');
    const registered = options.context.commands.list();
    const names = new Set(registered.map(({ command }) => command.name));
    for (const { command, plugin } of registered) {
      // A shell inside a shell helps nobody.
      if (command.name === 'repl' || command.name === 'run') continue;
      this.table.add(command, plugin);
      const short = /^fs (\S+)$/.exec(command.name)?.[1];
      if (short !== undefined && !names.has(short)) this.table.add({ ...command, name: short, hidden: true }, plugin);
    }
    this.#words = this.table.firstWords();
    this.programs = new PathPrograms(options.context, this.#words);
  }

  get context(): CommandContext {
    return this.#options.context;
  }

  /** The client of the server, for JavaScript; in a dry run it refuses to change anything. */
  async client(): Promise<Client> {
    const { context, output, dryRun } = this.#options;
    const client = await context.client();
    // A script may do anything with an answer: none is made up for it.
    return dryRun ? readOnly(client, { note: change => void output.write(`would call: ${change}\n`), answers: {} }) : client;
  }

  /** A word of ours or a program on PATH, not followed by what makes it JavaScript, as in `log = 1` or `diff(a)`. */
  isCommand(line: string): boolean {
    const match = /^\s*([A-Za-z][\w-]*)(?=\s|$)\s*(\S*)/.exec(line);
    if (match === null) return false;
    const [, word = '', next = ''] = match;
    return (this.#words.has(word) || this.programs.find(word) !== undefined) && !/^(=|[([.?,;]$|=>|in$|instanceof$)/.test(next);
  }

  /** Ends the command that runs. @returns whether there was one. */
  interrupt(): boolean {
    const running = this.#running;
    running?.abort(new Error('interrupted'));
    return running !== undefined;
  }

  /** Work that an interrupt ends: a command, or JavaScript. */
  async interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const running = new AbortController();
    setMaxListeners(0, running.signal);
    const outer = this.#options.context.signal;
    const onOuter = (): void => running.abort(new Error('interrupted'));
    if (outer.aborted) onOuter();
    outer.addEventListener('abort', onOuter);
    this.#running = running;
    try {
      return await work(running.signal);
    } catch (error) {
      throw running.signal.aborted && !(error instanceof NotDone) ? new Error('interrupted', { cause: error }) : error;
    } finally {
      this.#running = undefined;
      outer.removeEventListener('abort', onOuter);
    }
  }

  /** Runs a command and prints; failures are told and become the exit code. */
  async run(words: readonly string[]): Promise<Outcome> {
    try {
      return { data: await this.call(words, true), exitCode: 0 };
    } catch (error) {
      return { exitCode: this.report(error) };
    }
  }

  /** Runs a command, or a program on PATH. @returns its data. @throws what it throws. */
  async call(words: readonly string[], print: boolean): Promise<unknown> {
    const path = this.programs.find(words[0]);
    if (path !== undefined) return this.#callProgram(path, words, print);
    let data: unknown;
    const { output, context } = this.#options;
    const commands = this.table.list();
    const program = buildProgram({
      commands,
      run: async invocation => {
        data = await this.#execute(invocation, print);
      },
      showVersion: async () => {},
      implied: withPlace,
      write: text => void output.write(text),
    });
    try {
      await program.parseAsync(normaliseSwitches(normaliseHelp(words), commands), { from: 'user' });
    } catch (error) {
      const { code, exitCode, message } = error as { code?: unknown; exitCode?: unknown; message?: unknown };
      if (typeof code !== 'string' || !code.startsWith('commander.')) throw error;
      if (exitCode !== 0) throw new UsageError(parserComplaint(code, String(message)));
    }
    context.signal.throwIfAborted();
    return data;
  }

  /** @returns what it printed, unless that was shown. */
  async #callProgram(path: string, words: readonly string[], print: boolean): Promise<string | undefined> {
    const { output, errors = process.stderr, dryRun } = this.#options;
    if (dryRun) return void output.write(`would run: ${words.join(' ')}\n`);
    const lend = this.lends ?? (async <T>(work: () => Promise<T>): Promise<T> => work());
    return this.interruptible(signal => {
      const line = { words, place: this.place.uri, signal };
      if (!print) return this.programs.read(path, line, errors);
      return lend(() => this.programs.run(path, line, output === process.stdout ? undefined : { output, errors }).then(() => undefined));
    });
  }

  /** Tells a failure. @returns its exit code. */
  report(error: unknown): number {
    const { context } = this.#options;
    if (!(error instanceof ExitError)) context.tell(failureText(error, context.terminal));
    return exitCodeOf(error);
  }

  async #execute({ command, input, globals }: Invocation, print: boolean): Promise<unknown> {
    const { output, dryRun = false, context } = this.#options;
    const format = formats.find(f => f === globals.output) ?? this.#options.format;
    if (dryRun && localEffects.has(command.name)) {
      output.write(`would run: ${[command.name, ...input.args].join(' ')}\n`);
      return undefined;
    }
    return this.interruptible(async signal => {
      const trial = dryRun ? new Trial(output) : undefined;
      const own = this.#contextOf(signal, format, trial);
      try {
        const made = await command.run(own, input);
        const data = trial ? trial.known(made) : made;
        return print ? await this.#print(command, data, own, input, format) : await collected(data);
      } catch (error) {
        if (trial?.stopped) return undefined;
        throw error;
      } finally {
        if (trial?.changes === 0) context.tell(`${command.name}: changes nothing`);
      }
    });
  }

  #contextOf(signal: AbortSignal, format: Format | undefined, trial: Trial | undefined): CommandContext {
    const { context, output } = this.#options;
    return {
      ...context,
      signal,
      commands: this.table,
      uri: this.place.reader(),
      client: trial ? async (): Promise<Client> => trial.client(await context.client()) : context.client,
      confirm: trial ? async () => {} : (operation, question, yes) => this.#confirm(operation, question, yes, signal),
      echo: (label, uri) => {
        if (format === undefined) output.write(`${echoLine(label, uri)}\n`);
      },
    };
  }

  async #confirm(operation: string, question: string, yes: OptionValue, signal: AbortSignal): Promise<void> {
    if (!this.asks) return this.context.confirm(operation, question, yes);
    if (yes !== true && !(await this.asks(question, signal))) throw new Error(`${operation} aborted`);
  }

  async #print(
    command: Command,
    data: unknown,
    context: CommandContext,
    input: CommandInput,
    format: Format | undefined,
  ): Promise<unknown> {
    const seen: unknown[] = [];
    const stream = isStream(data) ? recorded(data, seen) : data;
    if (format === 'json' && !context.terminal.interactive) {
      const whole = isStream(stream) ? await collected(stream) : stream;
      if (isBytes(data)) await printResult(command, data, context, { stream: this.#options.output, input });
      else if (whole !== undefined) this.#options.output.write(`${JSON.stringify(whole)}\n`);
    } else await printResult(command, stream, context, { stream: this.#options.output, input, ...(format ? { format } : {}) });
    if (isBytes(data)) return undefined;
    return isStream(data) ? seen : data;
  }
}

async function* recorded(items: AsyncIterable<unknown>, seen: unknown[]): AsyncGenerator<unknown> {
  for await (const item of items) {
    seen.push(item);
    yield item;
  }
}

/** Streams as lists, bytes as one buffer. */
async function collected(data: unknown): Promise<unknown> {
  if (isBytes(data)) return (await import('node:stream/consumers')).buffer(data as NodeJS.ReadableStream);
  if (!isStream(data)) return data;
  const items: unknown[] = [];
  for await (const item of data) items.push(item);
  return items;
}
