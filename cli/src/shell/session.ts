/** A session of the shell: runs lines that are commands, one after the other. */

import { setMaxListeners } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { types } from 'node:util';
import {
  CurrentUri,
  beginsWithCommand,
  filtered,
  isBytes,
  isStream,
  listOrWhole,
  noPipeline,
  readPipeline,
  runWords,
  shellTable,
  unknownWordText,
} from '@srv/engine/shell';
import { ExitError, UsageError, describeTerminal, echoLine, exitCodeOf, failureText, formats, isExitError } from '@srv/lib-commands';
import { printResult } from '../output/print.js';
import { cancelledReads } from './cancelled-reads.js';
import { DryRun, DryRunStop, readOnly } from './dry-run.js';
import { shellHelp } from './help.js';
import { PathPrograms } from './path-programs.js';
import { PipedProgram } from './piped-program.js';
import type { CommandTable, Filter, Invocation, Pipeline } from '@srv/engine/shell';
import type { Command, CommandContext, CommandInput, Format, OptionValue } from '@srv/lib-commands';
import type { Client } from '../client.js';

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

/** After an interrupt; as of a single command. */
const patienceMs = 2000;

/** Result of a line. */
export interface Outcome {
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
  /** Lines of JavaScript run commands of their own. */
  readonly #running = new Set<AbortController>();
  /** Asks the person whose terminal the shell reads itself; absent: as the program does. */
  prompt?: (question: string, signal: AbortSignal) => Promise<boolean>;
  /** Gives the terminal, which the shell reads itself, to a program while it runs; absent: nothing to give. */
  withTerminal?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Shows long output page by page; absent: it is written as it comes. */
  withPager?: <T>(signal: AbortSignal, show: (output: NodeJS.WritableStream) => Promise<T>) => Promise<T>;
  /** Makes a filter of a JavaScript expression; absent: there is no JavaScript. */
  compileFilter?: (expression: string) => Filter;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.table = shellTable(options.context.commands, this.place);
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
    return beginsWithCommand(line, word => this.#words.has(word) || this.programs.find(word) !== undefined);
  }

  /** Ends the command that runs. @returns whether there was one. */
  interrupt(): boolean {
    const running = [...this.#running];
    for (const each of running) each.abort(new Error('interrupted'));
    return running.length > 0;
  }

  /** Work that an interrupt ends: a command, or JavaScript. */
  async interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const running = new AbortController();
    setMaxListeners(0, running.signal);
    const outer = this.#options.context.signal;
    const onOuter = (): void => running.abort(new Error('interrupted'));
    if (outer.aborted) onOuter();
    outer.addEventListener('abort', onOuter);
    this.#running.add(running);
    const stalled = deferred();
    // Without a terminal nothing else keeps the process: it would end in the middle of the script.
    const onStall = (): void => stalled.reject(new Error('what the line waits for never comes: nothing is under way that could bring it'));
    process.once('beforeExit', onStall);
    try {
      return await Promise.race([work(running.signal), givenUp(running.signal), stalled.promise]);
    } catch (error) {
      throw running.signal.aborted && !(error instanceof DryRunStop) ? new Error('interrupted', { cause: error }) : error;
    } finally {
      this.#running.delete(running);
      process.removeListener('beforeExit', onStall);
      outer.removeEventListener('abort', onOuter);
    }
  }

  /**
   * Runs a command and prints; failures are reported and become the exit code.
   * @param stages what its output goes through.
   */
  async run(words: readonly string[], stages: readonly string[] = []): Promise<Outcome> {
    try {
      return { data: await this.call(words, true, stages), exitCode: 0 };
    } catch (error) {
      return { exitCode: this.report(error) };
    }
  }

  /** Runs a command, or a program on PATH. @returns its data; of a pipeline that is not shown, its text. @throws what it throws. */
  async call(words: readonly string[], print: boolean, stages: readonly string[] = []): Promise<unknown> {
    const pipeline = stages.length === 0 ? noPipeline : readPipeline(stages, expression => this.#compile(expression));
    const path = this.programs.find(words[0]);
    if (path !== undefined) return this.#callProgram(path, words, print, pipeline);
    const [first] = words;
    if (first !== undefined && /^\w/.test(first) && !this.#words.has(first) && !this.table.firstWords().has(first))
      throw new UsageError(unknownWordText(first, this.#words, 'JavaScript variable'));
    let data: unknown;
    const { output, context } = this.#options;
    await runWords(words, {
      commands: this.table.list(),
      run: async invocation => {
        data = await this.#execute(invocation, print, pipeline);
      },
      write: help => void output.write(help),
      help: shellHelp,
    });
    context.signal.throwIfAborted();
    return data;
  }

  /** @returns what it printed, unless that was shown. */
  async #callProgram(path: string, words: readonly string[], print: boolean, { filters, program }: Pipeline): Promise<unknown> {
    const { output, errors = process.stderr, dryRun } = this.#options;
    if (filters.length > 0) throw new UsageError(`| where filters items, and ${words[0]} is a program that prints text`);
    if (dryRun) return void output.write(`would run: ${words.join(' ')}\n`);
    return this.interruptible(signal => {
      const line = { words, place: this.place.uri, signal };
      if (program !== undefined)
        return this.#throughProgram(program, print, signal, (inner, to) =>
          this.programs.run(path, { ...line, signal: inner }, { output: to, errors }),
        );
      if (!print) return this.programs.read(path, line, errors);
      return this.#lend(() => this.programs.run(path, line, output === process.stdout ? undefined : { output, errors }));
    });
  }

  /** @returns what `print` made of it; what the program printed, unless that was shown. */
  async #throughProgram<T>(
    program: string,
    show: boolean,
    signal: AbortSignal,
    print: (signal: AbortSignal, output: NodeJS.WritableStream) => Promise<T>,
  ): Promise<T | string | undefined> {
    const { output } = this.#options;
    const kept = show ? undefined : new PassThrough();
    const to = kept ?? (output === process.stdout ? undefined : output);
    const env = this.programs.environment(this.place.uri);
    const piped = new PipedProgram(program, { env, signal, ...(to ? { output: to } : {}) });
    const run = (): Promise<T | undefined> => piped.take(inner => print(inner, piped.input));
    if (!kept) return this.#lend(run);
    const [printed] = await Promise.all([text(kept), run().finally(() => kept.end())]);
    return printed.replace(/\n$/, '');
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
    if (!isExitError(error)) context.tell(failureText(error, context.terminal));
    return exitCodeOf(error);
  }

  async #execute(invocation: Invocation, print: boolean, pipeline: Pipeline): Promise<unknown> {
    const { command, input } = invocation;
    const { output, dryRun = false } = this.#options;
    if (dryRun && command.localEffects === true) {
      output.write(`would run: ${[command.name, ...input.args].join(' ')}\n`);
      return undefined;
    }
    const { program, filters } = pipeline;
    return this.interruptible(async signal => {
      if (program !== undefined && !dryRun)
        return this.#throughProgram(program, print, signal, (inner, to) =>
          this.#perform(invocation, { signal: inner, output: to, filters, print: true, plain: true }),
        );
      const perform = (to: NodeJS.WritableStream): Promise<unknown> =>
        this.#perform(invocation, { signal, output: to, filters, print, plain: false });
      return print && this.withPager ? this.withPager(signal, perform) : perform(output);
    });
  }

  async #perform({ command, input, globals }: Invocation, to: CommandRun): Promise<unknown> {
    const { dryRun = false, context } = this.#options;
    const format = formats.find(f => f === globals.output) ?? this.#options.format;
    const dryRunner = dryRun ? new DryRun(to.output) : undefined;
    const own = this.#contextOf(to, format, dryRunner);
    try {
      const made = await command.run(own, input);
      const data = filtered(dryRunner ? dryRunner.known(made) : made, to.filters);
      const shown = to.print ? await this.#print(command, data, own, input, { format, output: to.output }) : await collected(data);
      if (to.print && command.failed?.(shown)) throw new ExitError(1);
      return shown;
    } catch (error) {
      if (dryRunner?.stopped) return undefined;
      throw error;
    } finally {
      if (dryRunner?.changes === 0) context.tell(`${command.name}: changes nothing`);
    }
  }

  #contextOf({ signal, output, plain }: CommandRun, format: Format | undefined, dryRunner: DryRun | undefined): CommandContext {
    const { context } = this.#options;
    return {
      ...context,
      ...(plain ? { terminal: plainTerminal(context) } : {}),
      signal,
      commands: this.table,
      uri: this.place.reader(),
      client: async (): Promise<Client> => {
        const client = cancelledReads(await context.client(), signal);
        return dryRunner ? dryRunner.client(client) : client;
      },
      confirm: dryRunner ? async () => {} : (operation, question, yes) => this.#confirm(operation, question, yes, signal),
      echo: (label, uri) => {
        if (format === undefined && !plain) output.write(`${echoLine(label, uri)}\n`);
      },
    };
  }

  async #confirm(operation: string, question: string, yes: OptionValue, signal: AbortSignal): Promise<void> {
    if (!this.prompt) return this.context.confirm(operation, question, yes);
    if (yes !== true && !(await this.prompt(question, signal))) throw new Error(`${operation} aborted`);
  }

  async #print(
    command: Command,
    data: unknown,
    context: CommandContext,
    input: CommandInput,
    { format, output }: { readonly format: Format | undefined; readonly output: NodeJS.WritableStream },
  ): Promise<unknown> {
    const seen: unknown[] = [];
    const stream = isStream(data) ? recorded(data, seen) : data;
    if (format === 'json' && !context.terminal.interactive) {
      const whole = isStream(stream) ? await collected(stream) : stream;
      if (isBytes(data)) await printResult(command, data, context, { stream: output, input });
      else if (whole !== undefined) output.write(`${JSON.stringify(listOrWhole(whole))}\n`);
    } else await printResult(command, stream, context, { stream: output, input, ...(format ? { format } : {}) });
    if (isBytes(data)) return undefined;
    return isStream(data) ? seen : data;
  }
}

/** A promise that is rejected from outside. */
function deferred(): { readonly promise: Promise<never>; readonly reject: (error: Error) => void } {
  let reject = (_error: Error): void => {};
  const promise = new Promise<never>((_resolve, fail) => {
    reject = fail;
  });
  return { promise, reject };
}

/** Never resolves. @throws `interrupted` when work that was interrupted had time to end. */
async function givenUp(signal: AbortSignal): Promise<never> {
  await new Promise<void>(resolve => {
    signal.addEventListener('abort', () => setTimeout(resolve, patienceMs).unref(), { once: true });
  });
  throw new Error('interrupted');
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
}

function plainTerminal({ env, terminal }: CommandContext): CommandContext['terminal'] {
  const facts = { env: { ...env, CLI_INTERACTIVE: '' }, stdoutIsTerminal: false, stdinIsTerminal: terminal.canAsk, noColor: true };
  return describeTerminal(facts);
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
