/** Commands of `srv` that plugins add by the hook `serverCommands`. They are looked for when no built-in command matches. */

import { SrvError, messageOf, parseDuration } from '@srv/kernel';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandKernels } from './command-kernels.js';
import { ownPluginsKernel, quietLog, serverKernel } from './server-kernel.js';
import { warn } from './warn.js';
import type { Kernel } from '@srv/kernel';
import type { CommandInput, CommandOption, OptionValue, ServerCommand, ServerCommandRegistry } from '@srv/lib-commands';
import type { SrvFlags } from './flags.js';

/**
 * Adds the commands of all enabled plugins to the program. If plugins cannot be loaded, those of srv itself are added:
 * they help to find out why.
 * @param word the command that is meant; absent: help is.
 * @throws SrvError `plugin` for a name that is taken, or what is wrong when the command that is meant remains unknown.
 */
export async function addPluginCommands(program: Command, flags: SrvFlags, word: string | undefined): Promise<void> {
  try {
    const overrides = [...quietLog];
    const kernel = await serverKernel(flags, { overrides }).load();
    addCommands(program, kernel, new CommandKernels({ kernel, overrides }));
  } catch (error) {
    const own = await ownPluginsKernel(flags).catch(() => undefined);
    if (own) addCommands(program, own, new CommandKernels(undefined));
    if (word === undefined || word === 'help') warn(`commands of plugins are missing: ${messageOf(error)}`);
    else if (!program.commands.some(command => [command.name(), ...command.aliases()].includes(word))) throw error;
  }
}

function addCommands(program: Command, { hooks }: Kernel, kernels: CommandKernels): void {
  const found = new Commands(program.commands.flatMap(command => [command.name(), ...command.aliases()]));
  hooks.serverCommands.call(found);
  for (const { command } of found.list()) addCommand(program, command, kernels);
}

class Commands implements ServerCommandRegistry {
  readonly #owners: Map<string, string>;
  readonly #commands: { readonly command: ServerCommand; readonly plugin: string }[] = [];

  constructor(builtIn: readonly string[]) {
    this.#owners = new Map(builtIn.map(name => [name, 'srv']));
  }

  add(command: ServerCommand, plugin: string): void {
    for (const name of [command.name, ...(command.aliases ?? [])]) {
      const owner = this.#owners.get(name);
      if (owner !== undefined)
        throw new SrvError('plugin', `command ${name} of srv is added by both ${owner} and ${plugin}; disable one of them`);
      this.#owners.set(name, plugin);
    }
    this.#commands.push({ command, plugin });
  }

  list() {
    return this.#commands;
  }
}

function addCommand(
  program: Command,
  { name, aliases = [], about = '', summary, description = summary, options = [], hidden, ...rest }: ServerCommand,
  kernels: CommandKernels,
): void {
  const words = name.split(' ');
  const last = words.pop() ?? name;
  const group = words.reduce(
    (parent, word) => parent.commands.find(c => c.name() === word) ?? parent.command(word).description(about),
    program,
  );
  const parser = group
    .command(last, { hidden: hidden === true })
    .summary(summary)
    .description(description)
    .aliases([...aliases]);
  for (const { name: argument, description: text, required, variadic } of rest.arguments ?? []) {
    const words = variadic ? `${argument}...` : argument;
    parser.argument(required ? `<${words}>` : `[${words}]`, text);
  }
  for (const option of options) parser.addOption(parserOption(option));
  parser.action(async () => {
    const flags = parser.optsWithGlobals<SrvFlags>();
    const context = {
      flags,
      print: (text: string) => void process.stdout.write(text.endsWith('\n') ? text : `${text}\n`),
      kernel: (wanted = {}) => kernels.configured(flags, wanted),
      everyPlugin: () => kernels.every(flags),
    };
    process.exitCode = (await rest.run(context, { args: parser.args, options: valuesOf(parser, options) })) ?? 0;
  });
}

function parserOption({ name, short, type, default: preset, required, choices, description, hidden = false }: CommandOption): Option {
  const flags = `${short === undefined ? '' : `-${short}, `}--${name}${type === 'bool' ? '' : ' <value>'}`;
  const option = new Option(flags, description).hideHelp(hidden).makeOptionMandatory(required === true);
  if (choices) option.choices([...choices]);
  if (preset !== undefined) option.default(preset);
  if (type === 'int' || type === 'duration') option.argParser(text => numberOf(text, type));
  if (type === 'list' || type === 'texts')
    option.argParser((text, earlier: readonly string[] | undefined) => [
      ...(earlier ?? []),
      ...(type === 'list' ? text.split(',') : [text]),
    ]);
  return option;
}

function numberOf(text: string, type: 'int' | 'duration'): number {
  const value = type === 'duration' ? parseDuration(text) : /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
  if (value === undefined)
    throw new InvalidArgumentError(type === 'int' ? 'it must be a whole number' : 'it must be a duration such as 3s or 1h');
  return value;
}

/** Values by the names the command gave; a switch `no-x` is `x` to the parser. */
function valuesOf(parser: Command, options: readonly CommandOption[]): CommandInput['options'] {
  const values = parser.opts<Record<string, OptionValue>>();
  const camel = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    options.map(({ name, type }) => [
      name,
      type === 'bool' && name.startsWith('no-') ? values[camel(name.slice(3))] === false : values[camel(name)],
    ]),
  );
}

/** The first word of a command line that is neither an option nor the value of one. */
export function firstWord(argv: readonly string[]): string | undefined {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word === '-c' || word === '--config') at++;
    else if (!word.startsWith('-')) return word;
  }
  return undefined;
}
