/** A context whose client records its calls and answers what a test says. */
import { Readable } from 'node:stream';
import { Config } from '@srv/kernel';
import { uriReader } from '../context.js';
import { parallelismOf } from '../options.js';
import { describeTerminal } from '../output/terminal.js';
import type { CommandInput, OptionValue } from '../arguments.js';
import type { Command } from '../command.js';
import type { CommandContext } from '../context.js';

/** Answers by operation; a function is called with the input. */
export type Answers = Readonly<Record<string, unknown>>;

export interface FakeContext {
  readonly context: CommandContext;
  /** Operation and input of every call. */
  readonly calls: readonly (readonly [operation: string, input: unknown])[];
  /** Messages on standard error. */
  readonly told: readonly string[];
}

export function fakeContext(answers: Answers, changes: Partial<CommandContext> = {}): FakeContext {
  const calls: [string, unknown][] = [];
  const told: string[] = [];
  const client = new Proxy(
    {},
    {
      get: (_target, name) => {
        // A promise that resolves with the client looks for this.
        if (name === 'then' || typeof name === 'symbol') return undefined;
        return async (input: unknown) => {
          calls.push([name, input]);
          const answer = answers[name];
          if (answer === undefined && !(name in answers)) throw new Error(`no answer for ${name}`);
          return typeof answer === 'function' ? (answer as (input: unknown) => unknown)(input) : answer;
        };
      },
    },
  ) as Awaited<ReturnType<CommandContext['client']>>;
  const context = {
    configuration: {
      file: '/nowhere/.cli.yaml',
      show: () => [],
      read: async section => Config.create([section], []).values(section.keys),
    },
    terminal: describeTerminal({ env: {}, stdoutIsTerminal: false, stdinIsTerminal: false, noColor: true }),
    verbose: false,
    signal: new AbortController().signal,
    input: Readable.from([]),
    uri: uriReader(''),
    env: {},
    home: '/nowhere',
    client: async () => client,
    echo: () => {},
    tell: (line: string) => void told.push(line),
    warn: (line: string) => void told.push(`Warning: ${line}`),
    confirm: async () => {},
    attempts: 1,
    parallelism: (option: OptionValue) => parallelismOf(option, 1),
    progress: () => ({ expect() {}, advance() {}, fileDone() {}, stop() {} }),
    ...changes,
  } as CommandContext;
  return { context, calls, told };
}

/** Runs the command of that name with its defaults. @returns data and text. */
export async function runCommand(
  commands: readonly Command[],
  { context }: FakeContext,
  name: string,
  args: readonly string[] = [],
  options: CommandInput['options'] = {},
): Promise<{ readonly data: unknown; readonly text: string }> {
  const command = commands.find(c => c.name === name);
  if (!command) throw new Error(`no command ${name}`);
  const defaults = Object.fromEntries((command.options ?? []).map(o => [o.name, o.default]));
  const input = { args, options: { ...defaults, ...options } };
  const data = await command.run(context, input);
  return { data, text: command.render && data !== undefined ? command.render(data, context, input) : '' };
}

/** A refusal of the server, as the client throws it. */
export function refusal(status: number, message: string): Error {
  return Object.assign(new Error(message), { status });
}

/** One page that holds everything. */
export function page<T>(results: readonly T[]) {
  return { results, pagination: { has_more: false, next_offset: '', results: results.length, max_per_page: 1000 } };
}
