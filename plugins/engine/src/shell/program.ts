/** Builds the command-line parser from the command table. */

import { nearest } from '@srv/kernel';
import { UsageError, checkArity, exitCodeHelp, optionReaders } from '@srv/lib-commands';
import { Option, Command as Parser } from 'commander';
import { globalOptions, groupSummaries } from './globals.js';
import { locate } from './typed-words.js';
import type { Command, CommandInput, CommandOption, OptionValue } from '@srv/lib-commands';
import type { RegisteredCommand } from './command-table.js';

export interface Invocation {
  readonly command: Command;
  readonly input: CommandInput;
  readonly globals: CommandInput['options'];
}

interface ProgramOptions {
  readonly commands: readonly RegisteredCommand[];
  /** Called while the words are parsed. */
  readonly run: (invocation: Invocation) => Promise<void> | void;
  /** `--version`. */
  readonly showVersion: (globals: CommandInput['options']) => Promise<void> | void;
  /** Arguments with those added that may be left out here. */
  readonly implied?: (command: Command, args: readonly string[]) => readonly string[];
  /** Where help goes; default: standard output. */
  readonly write?: (text: string) => void;
}

export const programName = 'cli';

export function buildProgram(options: ProgramOptions): Parser {
  const { commands, showVersion } = options;
  const root = prepare(new Parser(programName), []).description('A command-line tool to work with a versioned object store');
  addOptions(root, globalOptions);
  root
    .helpCommand('help [command]', 'help for a command')
    .option('-v, --version', 'show the version')
    .argument('[word]', '')
    .allowUnknownOption(true)
    .usage('[options] [command]')
    .action((word: string | undefined) => {
      if (word !== undefined) throw new UsageError(unknownWord(word, root));
      if (root.getOptionValue('version') === true) return showVersion(readOptions(root, globalOptions));
      return root.help();
    });
  for (const { command } of [...commands].sort((a, b) => (a.command.name < b.command.name ? -1 : 1))) addCommand(root, command, options);
  root.addHelpText('after', `\n${exitCodeHelp}`);
  if (options.write) redirect(root, options.write);
  return root;
}

function redirect(parser: Parser, writeOut: (text: string) => void): void {
  parser.configureOutput({ writeOut });
  for (const command of parser.commands) redirect(command as Parser, writeOut);
}

/** `--flag=true` and `--flag=false` for switches, which the parser does not know; leaves everything else alone. */
export function normaliseSwitches(argv: readonly string[], commands: readonly RegisteredCommand[]): string[] {
  const switches = new Set(
    [...globalOptions, ...commands.flatMap(c => c.command.options ?? [])].filter(o => o.type === 'bool').map(o => o.name),
  );
  const end = argv.indexOf('--');
  return argv.map((word, index) => {
    const match = /^--([a-z][a-z0-9-]*)=(true|false|t|f|1|0)$/i.exec(word);
    const [, name = '', value = ''] = match ?? [];
    if (!switches.has(name) || (end >= 0 && index > end)) return word;
    return /^(true|t|1)$/i.test(value) ? `--${name}` : `--${opposite(name)}`;
  });
}

/** `help fs cat` is `fs cat --help`. */
export function normaliseHelp(argv: readonly string[]): string[] {
  const at = firstWord(argv);
  return argv[at] === 'help' ? [...argv.slice(0, at), ...argv.slice(at + 1), '--help'] : [...argv];
}

function opposite(name: string): string {
  return name.startsWith('no-') ? name.slice(3) : `no-${name}`;
}

function addCommand(root: Parser, command: Command, { commands, run, implied = (_, args) => args }: ProgramOptions): void {
  const words = command.name.split(' ');
  const last = words.pop() ?? command.name;
  const parent = words.reduce(
    (group, word, index) =>
      group.commands.find(c => c.name() === word) ??
      addGroup(group, word, { words: words.slice(0, index + 1), hidden: isHiddenGroup(words.slice(0, index + 1), commands) }),
    root,
  );
  const hidden = command.hidden === true && !isHiddenGroup(words, commands);
  const parser = prepare(parent.command(last, { hidden }), [...words, last])
    .summary(command.summary)
    .description(command.description ?? command.summary);
  const parameters = command.arguments ?? [];
  for (const { name, description, variadic } of parameters) parser.argument(`[${name}${variadic ? '...' : ''}]`, description);
  parser.usage([...parameters.map(usageOf), '[options]'].join(' '));
  const own = command.options ?? [];
  addOptions(parser, own);
  addOptions(
    parser,
    globalOptions.flatMap(option => withoutClash(option, own)),
    'Global options:',
  );
  if (command.examples) parser.addHelpText('after', `\nExamples:\n${command.examples.map(line => `  ${line}`).join('\n')}`);
  parser.action(() => {
    const args = implied(command, parser.args);
    checkArity(parameters, args.length);
    const options = readOptions(parser, own);
    const missing = own.filter(o => o.required && options[o.name] === undefined).map(o => JSON.stringify(o.name));
    if (missing.length > 0) throw new UsageError(`required flag(s) ${missing.join(', ')} not set`);
    const globals = { ...readOptions(root, globalOptions), ...given(parser.parent ?? root, []), ...given(parser, own) };
    return run({ command, input: { args, options, given: namesGiven(parser, own) }, globals });
  });
}

/** A group of hidden commands is hidden; who knows its name sees them. */
function isHiddenGroup(words: readonly string[], commands: readonly RegisteredCommand[]): boolean {
  const group = `${words.join(' ')} `;
  return words.length > 0 && commands.every(({ command }) => !command.name.startsWith(group) || command.hidden === true);
}

/** A group alone prints its help. */
function addGroup(
  parent: Parser,
  word: string,
  { words, hidden }: { readonly words: readonly string[]; readonly hidden: boolean },
): Parser {
  const group = prepare(parent.command(word, { hidden }), words)
    .description(groupSummaries[words.join(' ')] ?? `Work with ${word}`)
    .usage('[command]');
  addOptions(group, globalOptions, 'Global options:');
  return group
    .helpCommand('help [command]', 'help for a command')
    .argument('[word]', '')
    .allowUnknownOption(true)
    .action((word: string | undefined) => {
      if (word !== undefined) throw new UsageError(unknownWord(word, group));
      group.help();
    });
}

function prepare(parser: Parser, words: readonly string[]): Parser {
  return parser
    .allowExcessArguments(true)
    .enablePositionalOptions()
    .showSuggestionAfterError(false)
    .exitOverride()
    .helpCommand(false)
    .helpOption('-h, --help', words.length === 0 ? 'show help' : `help for ${words.join(' ')}`)
    .configureHelp({
      sortSubcommands: true,
      subcommandTerm: command => command.name(),
      visibleArguments: command => command.registeredArguments.filter(a => a.description !== ''),
    })
    .configureOutput({ writeErr: () => {} });
}

function usageOf({ name, required, variadic }: NonNullable<Command['arguments']>[number]): string {
  const word = `${name}${variadic ? '...' : ''}`;
  return required ? `<${word}>` : `[${word}]`;
}

/** A global option gives way to the command's own option of the same name, and its letter to the command's letter. */
function withoutClash(option: CommandOption, own: readonly CommandOption[]): CommandOption[] {
  if (own.some(o => o.name === option.name)) return [];
  const { short, ...rest } = option;
  return [short !== undefined && own.some(o => o.short === short) ? rest : option];
}

function addOptions(parser: Parser, options: readonly CommandOption[], heading = 'Options:'): void {
  for (const option of options) {
    const flags = `${option.short ? `-${option.short}, ` : ''}--${option.name}`;
    const shown =
      option.default === undefined || option.default === false || option.default === ''
        ? option.description
        : `${option.description} (default ${JSON.stringify(option.default)})`;
    if (option.type === 'bool') {
      parser.addOption(new Option(flags, shown).hideHelp(option.hidden === true).helpGroup(heading));
      parser.addOption(new Option(`--${opposite(option.name)}`).hideHelp());
    } else {
      const word = valueWords[option.type] ?? option.type;
      parser.addOption(
        new Option(`${flags} <${word}>`, shown)
          .hideHelp(option.hidden === true)
          .helpGroup(heading)
          .argParser((text: string, earlier: OptionValue) => readValue(option, text, earlier)),
      );
    }
  }
}

/** What help calls a value, where that is not its type. */
const valueWords: Readonly<Partial<Record<CommandOption['type'], string>>> = { list: 'strings', texts: 'string' };

function readValue(option: CommandOption, text: string, earlier: OptionValue): OptionValue {
  try {
    const value = option.type === 'bool' ? true : optionReaders[option.type](text, earlier);
    if (option.choices && !option.choices.includes(String(value)))
      throw new UsageError(`${JSON.stringify(text)} is not one of ${option.choices.join(', ')}`);
    return value;
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`invalid argument for "--${option.name}" flag: ${error.message}`);
    throw error;
  }
}

/** Values of `options`, defaults included. */
function readOptions(parser: Parser, options: readonly CommandOption[]): Record<string, OptionValue> {
  return Object.fromEntries(options.map(option => [option.name, givenValue(parser, option) ?? option.default]));
}

/** Names of the options that stand on the line. */
function namesGiven(parser: Parser, options: readonly CommandOption[]): string[] {
  return options.filter(option => givenValue(parser, option) !== undefined).map(({ name }) => name);
}

/** Global options given after a group or the command. */
function given(parser: Parser, own: readonly CommandOption[]): Record<string, OptionValue> {
  const shared = globalOptions.filter(option => !own.some(o => o.name === option.name));
  return Object.fromEntries(shared.map(option => [option.name, givenValue(parser, option)]).filter(([, value]) => value !== undefined));
}

/** `--no-x` and `--x` share one attribute of the parser. */
function givenValue(parser: Parser, { name, type }: CommandOption): OptionValue {
  const negative = type === 'bool' && name.startsWith('no-');
  const attribute = (negative ? name.slice(3) : name).replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  if (parser.getOptionValueSource(attribute) !== 'cli') return undefined;
  const value = parser.getOptionValue(attribute) as OptionValue;
  return negative ? !value : value;
}

/** Position of the first word that is neither a global option nor the value of one; -1 without such a word. */
export function firstWord(argv: readonly string[]): number {
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? '';
    if (!word.startsWith('-')) return index;
    if (word === '--') return -1;
    const option = globalOptions.find(({ name, short }) => word === `--${name}` || word === `-${short}`);
    if (option && option.type !== 'bool') index++;
  }
  return -1;
}

function unknownWord(word: string, group: Parser): string {
  if (word.startsWith('-'))
    return unknownFlag(
      word,
      globalOptions.map(({ name }) => name),
    );
  const close = group.commands.map(c => c.name()).filter(name => name.startsWith(word) || editable(name, word));
  const suggestions = close.length > 0 ? `\n\nDid you mean this?\n${close.map(name => `\t${name}`).join('\n')}\n` : '';
  const path = pathOf(group);
  return `unknown command ${JSON.stringify(word)} for ${JSON.stringify(path)}${suggestions}\nRun '${path} --help' for usage.`;
}

/** `cli branch` */
function pathOf(parser: Parser): string {
  return parser.parent ? `${pathOf(parser.parent as Parser)} ${parser.name()}` : parser.name();
}

/** One letter wrong, missing, added or swapped. */
function editable(name: string, word: string): boolean {
  if (Math.abs(name.length - word.length) > 1) return false;
  let start = 0;
  while (start < name.length && name[start] === word[start]) start++;
  const rests = [
    [start + 1, start + 1],
    [start + 1, start],
    [start, start + 1],
    [start + 2, start + 2],
  ] as const;
  return rests.some(([a, b]) => name.slice(a) === word.slice(b));
}

function unknownFlag(flag: string, names: readonly string[]): string {
  if (!flag.startsWith('--')) return `unknown shorthand flag: ${flag}`;
  const guess = nearest(flag.slice(2).replace(/=.*/s, ''), names);
  return `unknown flag: ${flag}${guess === undefined ? '' : `; did you mean --${guess}?`}`;
}

/** What the parser complains about, in our words. @param words of the whole line, to find the command that was meant. */
export function parserComplaint(code: string, message: string, words: readonly string[], commands: readonly RegisteredCommand[]): string {
  const quoted = /'([^']*)'/.exec(message)?.[1] ?? '';
  if (code === 'commander.unknownOption') {
    const { command } = locate(
      words,
      commands.map(registered => registered.command),
    );
    return unknownFlag(
      quoted,
      [...(command?.options ?? []), ...globalOptions].filter(({ hidden }) => !hidden).map(({ name }) => name),
    );
  }
  if (code === 'commander.optionMissingArgument')
    return `flag needs an argument: ${quoted.split(/[ ,]+/).find(word => word.startsWith('--')) ?? quoted}`;
  return message.replace(/^error: /, '');
}
