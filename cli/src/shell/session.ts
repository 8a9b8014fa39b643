/** A session of the shell: runs lines that are commands, one after the other. */

import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { types } from 'node:util';
import {
  CurrentUri,
  WordParser,
  beginsWithCommand,
  fieldsOf,
  filtered,
  isBytes,
  isStream,
  listOrWhole,
  locate,
  noPipeline,
  readPipeline,
  shellTable,
  splitStages,
  unknownWordText,
} from '@srv/engine/shell';
import { messageOf } from '@srv/kernel';
import {
  ExitError,
  UsageError,
  describeTerminal,
  echoLine,
  exitCodeOf,
  failureJson,
  failureText,
  formats,
  isExitError,
  noProgress,
} from '@srv/lib-commands';
import { offer } from '../output/outlet.js';
import { cancelledReads } from './cancelled-reads.js';
import { clearCommand } from './clear.js';
import { DryRun, readOnly } from './dry-run.js';
import { helpOfShell } from './help.js';
import { readLine } from './line.js';
import { argumentsOf, variablesOf } from './line-variables.js';
import { operationHelp } from './operation-help.js';
import { PathPrograms } from './path-programs.js';
import { runProgram, runReader } from './piped-program.js';
import { printOutcome } from './print-outcome.js';
import { RunningWork, until } from './running-work.js';
import type { CommandTable, Filter, Invocation, Pipeline } from '@srv/engine/shell';
import type { CommandContext, Format, OptionValue } from '@srv/lib-commands';
import type { Client } from '../client.js';
import type { Begun } from './command-result.js';
import type { Line } from './line.js';

export interface SessionOptions {
  /** Of the program that runs the shell. */
  readonly context: CommandContext;
  readonly output: NodeJS.WritableStream;
  /** Where programs on PATH complain when their output goes elsewhere than to standard output. Default: standard error. */
  readonly errors?: NodeJS.WritableStream;
  /** Lists whose amount is not given are whole. */
  readonly wholeLists?: boolean;
  /** Form of every output: in scripts JSON is one line per command. */
  readonly format?: Format | undefined;
  readonly dryRun?: boolean;
}

/** Result of a line. */
export interface Outcome {
  /** Of a failure, in one line. */
  readonly problem?: string;
  readonly data?: unknown;
  readonly exitCode: number;
}

export class Session {
  readonly place = new CurrentUri();
  readonly table: CommandTable;
  readonly programs: PathPrograms;
  readonly #options: SessionOptions;
  /** First words that begin a command. */
  readonly #words: ReadonlySet<string>;
  readonly #parser: WordParser;
  #last: unknown;
  readonly #work: RunningWork;
  /** Asks the person whose terminal the shell reads itself; absent: as the program does. */
  prompt?: (question: string, signal: AbortSignal) => Promise<boolean>;
  /** Gives the terminal, which the shell reads itself, to a program while it runs; absent: nothing to give. */
  withTerminal?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Shows long output page by page; absent: it is written as it comes. */
  withPager?: <T>(signal: AbortSignal, show: (output: NodeJS.WritableStream, signal: AbortSignal) => Promise<T>) => Promise<T | undefined>;
  /** The data of a line is wanted after it: a list without end would fill the memory. */
  remembers = true;
  /** Makes a filter of a JavaScript expression; absent: there is no JavaScript. */
  compileFilter?: (expression: string) => Filter;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#work = new RunningWork(options.context.signal);
    this.table = shellTable(options.context.commands, this.place);
    this.table.add(clearCommand, 'cli');
    this.#words = this.table.firstWords();
    this.#parser = new WordParser({ table: this.table, help: helpOfShell() });
    this.programs = new PathPrograms(options.context, this.#words);
  }

  get context(): CommandContext {
    return this.#options.context;
  }

  /** The client of the server, for JavaScript: no call begins after an interrupt. In a dry run it refuses to change anything. */
  async client(): Promise<Client> {
    const { context, output, dryRun } = this.#options;
    const client = cancelledReads(await context.client(), () => this.#work.signal());
    // A script may do anything with an answer: none is made up for it.
    return dryRun ? readOnly(client, { note: change => void output.write(`would call: ${change}\n`), answers: {} }) : client;
  }

  /** A word of ours or a program on PATH, not followed by what makes it JavaScript, as in `log = 1` or `diff(a)`. */
  isCommand(line: string): boolean {
    return beginsWithCommand(line, word => this.#words.has(word) || this.programs.find(word) !== undefined);
  }

  /** Fields of what was listed last. */
  fields(): readonly string[] {
    return fieldsOf(this.#last);
  }

  /** Ends the command that runs. @returns whether there was one. */
  interrupt(): boolean {
    return this.#work.interrupt();
  }

  /** Work that an interrupt ends: a command, or JavaScript. @throws `interrupted` within work that was interrupted. */
  interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#work.run(work);
  }

  /** Runs a line and prints; failures are reported and become the exit code. */
  async run(line: Line): Promise<Outcome> {
    try {
      this.#last = await this.call(line);
      return { data: this.#last, exitCode: 0 };
    } catch (error) {
      return { exitCode: this.report(error), problem: problemOf(error) };
    }
  }

  /** Runs a line and prints. @returns its data. @throws what it throws. */
  call(line: Line): Promise<unknown> {
    return this.interruptible(signal => {
      const show = (output: NodeJS.WritableStream, inner: AbortSignal): Promise<unknown> =>
        this.#start(line, { ...this.#streams(), signal: inner, output, print: true, plain: false });
      // Programs get the terminal itself.
      const isProgram = line.isProgram || this.programs.find(line.words[0]) !== undefined;
      const isPaged = !isProgram && line.stages.every(stage => /^where\s/.test(stage));
      return isPaged && this.withPager ? this.withPager(signal, show) : show(this.#options.output, signal);
    });
  }

  /** Begins a line that prints nothing. @returns its data; of a program, what it printed. @throws what it throws. */
  async begin(line: Line): Promise<Begun> {
    const { signal, end, ending } = await this.#work.begin();
    try {
      const work = this.#start(line, { ...this.#streams(), signal, output: this.#options.output, print: false, plain: false });
      const data = await ending(work);
      // Nothing may ever read it: what is there already runs no more, and an interrupt ends the rest.
      if (!isStream(data) && !isBytes(data)) end();
      else signal.addEventListener('abort', end, { once: true });
      return { data: isStream(data) ? until(data, ending) : data, end };
    } catch (error) {
      end();
      throw error;
    }
  }

  #streams(): Pick<CommandRun, 'input' | 'filters'> {
    return { input: this.context.input, filters: [] };
  }

  async #start(line: Line, to: CommandRun): Promise<unknown> {
    const at = this.#readerAt(line);
    if (at >= 0) return this.#feed(line, at, to);
    const pipeline = line.stages.length === 0 ? noPipeline : readPipeline(line.stages, expression => this.#compile(expression));
    if (line.isProgram) return this.#callProgram(line, pipeline, to);
    const [first] = line.words;
    const path = this.programs.find(first);
    if (path === undefined && first !== undefined && /^\w/.test(first) && !this.#knows(first))
      throw new UsageError(unknownWordText(first, this.#words, 'JavaScript variable'));
    const { program, filters } = pipeline;
    const work = (inner: CommandRun): Promise<unknown> =>
      path === undefined ? this.#execute(line.words, inner) : this.#runOnPath(path, line, inner);
    if (path !== undefined && filters.length > 0) throw new UsageError(`| where filters items, and ${first} is a program that prints text`);
    if (program === undefined || this.#options.dryRun) return work({ ...to, filters });
    return this.#printed(to, output => {
      const options = this.#programOptions(line, program, { ...to, output });
      return runReader(program, options, (signal, stdin) => work({ ...to, signal, output: stdin, filters, print: true, plain: true }));
    });
  }

  #knows(word: string): boolean {
    return this.#words.has(word) || this.table.firstWords().has(word);
  }

  /** Whether what a program prints is for a command: `echo x | fs upload -s - …`. */
  endsInReader(line: string): boolean {
    if (!line.includes(' | ')) return false;
    const [, ...stages] = splitStages(line);
    return this.#readerAt({ stages }) >= 0;
  }

  /** Which stage is a command that reads what comes before; -1: none. */
  #readerAt({ stages }: Pick<Line, 'stages'>): number {
    for (let at = stages.length - 1; at >= 0; at--) {
      const stage = stages[at] ?? '';
      if (!this.#knows(/^[\w-]+/.exec(stage)?.[0] ?? '')) continue;
      const words = stage.split(/\s+/);
      const { command } = locate(
        words,
        this.table.list().map(registered => registered.command),
      );
      if (command?.readsInput) return at;
    }
    return -1;
  }

  /** `program | command`: if the one fails, so does what the other does with its output. */
  async #feed(line: Line, at: number, to: CommandRun): Promise<unknown> {
    const { text: own, stages, variables } = line;
    const known = line.isProgram || this.#knows(line.words[0] ?? '') || this.programs.find(line.words[0]) !== undefined;
    const source: Line = { ...line, text: own, isProgram: !known || line.isProgram, stages: stages.slice(0, at) };
    const target = readLine([stages[at] ?? '', ...stages.slice(at + 1)].join(' | '), variables);
    const between = new PassThrough();
    between.on('error', () => {});
    const fed = this.#start(source, { ...to, output: between, print: true, plain: true }).then(
      () => void between.end(),
      (error: unknown) => {
        between.destroy(error instanceof Error ? error : new Error(messageOf(error)));
        throw error;
      },
    );
    const taken = this.#start(target, { ...to, input: between });
    try {
      return (await Promise.all([taken, fed]))[0];
    } catch (error) {
      // What the source says is the reason, whichever fails first.
      between.destroy();
      await fed;
      throw error;
    }
  }

  /** A line for `sh`. @returns what it printed, unless that was shown. */
  async #callProgram(line: Line, { filters, program }: Pipeline, to: CommandRun): Promise<unknown> {
    const whole = program === undefined ? line.text : `${line.text} | ${program}`;
    if (filters.length > 0) throw new UsageError(`| where filters items, and ${line.text} is a program that prints text`);
    if (this.#options.dryRun) return void (await offer(this.#options.output, `would run: ${whole}\n`));
    const input = to.input === this.context.input ? 'inherit' : Readable.from(to.input, { objectMode: false });
    return this.#printed(to, output => runProgram(whole, { ...this.#programOptions(line, whole, { ...to, output }), input }));
  }

  #programOptions(line: Line, program: string, { signal, output }: Pick<CommandRun, 'signal' | 'output'>) {
    const { errors } = this.#options;
    return {
      env: { ...variablesOf(program, line.variables), ...this.programs.environment(this.place.uri) },
      args: argumentsOf(line.variables),
      signal,
      ...(output === process.stdout ? {} : { output }),
      ...(errors === undefined || errors === process.stderr ? {} : { errors }),
    };
  }

  /** @param run prints to what it is given. @returns what it printed, unless that was shown; else what it returns. */
  async #printed<T>({ print, output }: CommandRun, run: (output: NodeJS.WritableStream) => Promise<T>): Promise<T | string> {
    if (print) return output === process.stdout ? this.#lend(() => run(output)) : run(output);
    const kept = new PassThrough();
    const [printed] = await Promise.all([text(kept), run(kept).finally(() => kept.end())]);
    return printed.replace(/\n$/, '');
  }

  /** A program `cli-<name>`. */
  async #runOnPath(path: string, { words }: Line, to: CommandRun): Promise<unknown> {
    const { errors = process.stderr, dryRun } = this.#options;
    if (dryRun) return void (await offer(this.#options.output, `would run: ${words.join(' ')}\n`));
    const line = { words, place: this.place.uri, signal: to.signal };
    return this.#printed(to, output => this.programs.run(path, line, output === process.stdout ? undefined : { output, errors }));
  }

  #lend<T>(work: () => Promise<T>): Promise<T> {
    return this.withTerminal ? this.withTerminal(work) : work();
  }

  #compile(expression: string): Filter {
    if (!this.compileFilter) throw new UsageError('| where needs the JavaScript of a shell');
    return this.compileFilter(expression);
  }

  /** Prints a failure. @returns its exit code. */
  report(thrown: unknown): number {
    const { context } = this.#options;
    // JavaScript of the shell has error classes of its own.
    const isForeign = types.isNativeError(thrown) && !((thrown as unknown) instanceof Error);
    const error = isForeign ? Object.assign(new Error((thrown as Error).message), thrown) : thrown;
    if (!isExitError(error)) context.tell(this.#options.format === 'json' ? failureJson(error) : failureText(error, context.terminal));
    return exitCodeOf(error);
  }

  async #execute(words: readonly string[], to: CommandRun): Promise<unknown> {
    const { dryRun = false, output } = this.#options;
    const help = words[0] === 'help' && words.length === 2 && words[1] !== undefined ? await operationHelp(words[1]) : undefined;
    if (help !== undefined) return void (await offer(to.print ? to.output : output, `${help}\n`));
    const found = this.#parser.parse(words);
    if ('help' in found) {
      await offer(to.print ? to.output : output, found.help);
      return undefined;
    }
    const { command, input } = found;
    if (dryRun && command.localEffects === true)
      return void (await offer(output, `would run: ${[command.name, ...input.args].join(' ')}\n`));
    const data = await this.#perform(found, to);
    this.context.signal.throwIfAborted();
    return data;
  }

  async #perform({ command, input, globals }: Invocation, to: CommandRun): Promise<unknown> {
    const { dryRun = false, context } = this.#options;
    const format = formats.find(f => f === globals.output) ?? this.#options.format;
    const dryRunner = dryRun ? new DryRun(to.output) : undefined;
    const own = this.#contextOf(to, format, dryRunner);
    try {
      const made = await command.run(own, input);
      const data = filtered(dryRunner ? dryRunner.known(made) : made, to.filters);
      if (!to.print) return data;
      const shown = await printOutcome(command, data, { context: own, input, format, output: to.output, remembers: this.remembers });
      if (command.failed?.(data as never)) throw new ExitError(1);
      return listOrWhole(shown);
    } catch (error) {
      if (dryRunner?.stopped) return undefined;
      throw error;
    } finally {
      if (dryRunner?.changes === 0) context.tell(`${command.name}: changes nothing`);
    }
  }

  #contextOf(
    { signal, output, plain, print, input }: CommandRun,
    format: Format | undefined,
    dryRunner: DryRun | undefined,
  ): CommandContext {
    const { context } = this.#options;
    return {
      ...context,
      ...(plain ? { terminal: plainTerminal(context) } : {}),
      ...(print ? {} : { progress: () => noProgress }),
      ...(print && !this.#options.wholeLists ? {} : { wholeLists: true }),
      signal,
      input,
      commands: this.table,
      uri: this.place.reader(),
      client: async (): Promise<Client> => {
        const client = cancelledReads(await context.client(), () => signal);
        return dryRunner ? dryRunner.client(client) : client;
      },
      confirm: dryRunner ? async () => {} : (operation, question, yes) => this.#confirm(operation, question, yes, signal),
      echo: (label, uri) => {
        if (print && format === undefined && !plain) output.write(`${echoLine(label, uri)}\n`);
      },
    };
  }

  async #confirm(operation: string, question: string, yes: OptionValue, signal: AbortSignal): Promise<void> {
    if (!this.prompt) return this.context.confirm(operation, question, yes);
    if (yes !== true && !(await this.prompt(question, signal))) throw new Error(`${operation} aborted`);
  }
}

/** The first line of what went wrong. */
export function problemOf(error: unknown): string {
  return (isExitError(error) ? '' : types.isNativeError(error) ? error.message : messageOf(error)).split('\n')[0] ?? '';
}

/** How a command is to be run. */
interface CommandRun {
  readonly signal: AbortSignal;
  readonly output: NodeJS.WritableStream;
  readonly filters: readonly Filter[];
  /** Its data is printed. */
  readonly print: boolean;
  /** A program reads what is printed. */
  readonly plain: boolean;
  /** Standard input. */
  readonly input: CommandContext['input'];
}

function plainTerminal({ env, terminal }: CommandContext): CommandContext['terminal'] {
  const facts = { env: { ...env, CLI_INTERACTIVE: '' }, stdoutIsTerminal: false, stdinIsTerminal: terminal.canAsk, noColor: true };
  return describeTerminal(facts);
}
