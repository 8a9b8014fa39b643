/** The words of a line: the command, its arguments and options. Also of a line that is still typed, or wrong. */
import { globalOptions } from './globals.js';
import type { Command, CommandOption } from '@srv/lib-commands';

interface TypedWords {
  readonly command?: Command;
  /** Words of the group of commands that they lead into. */
  readonly group: readonly string[];
  /** Those after the command that are neither options nor values of options; without a command, from the first unknown word on. */
  readonly args: readonly string[];
  /** The option whose value the next word is. */
  readonly open?: CommandOption;
  /** Values of the global options. */
  readonly globals: Readonly<Record<string, string>>;
  /** `help` stands before the command: it takes no arguments. */
  readonly isHelp: boolean;
  /** After `--`: all further words are arguments. */
  readonly isPlain: boolean;
}

/** Own options of a command, then the global ones, of which those with a name of its own give way. */
export function optionsOf(command: Command | undefined): readonly CommandOption[] {
  const own = command?.options ?? [];
  return [...own, ...globalOptions.filter(({ name }) => !own.some(option => option.name === name))];
}

/** Length of `--<name>=`, after which a value begins; 0 for other words. */
export function valueStart(word: string): number {
  return word.startsWith('--') ? word.indexOf('=') + 1 : 0;
}

/** @param words without the name of the program. */
export function readWords(words: readonly string[], commands: readonly Command[]): TypedWords {
  const group: string[] = [];
  const args: string[] = [];
  const globals: Record<string, string> = {};
  let command: Command | undefined;
  let open: CommandOption | undefined;
  let [isHelp, isPlain] = [false, false];
  const give = (option: CommandOption, value: string): void => {
    if (globalOptions.includes(option)) globals[option.name] = value;
  };
  for (const word of words) {
    if (open) {
      give(open, word);
      open = undefined;
    } else if (!isPlain && word === '--') isPlain = true;
    else if (!isPlain && word.startsWith('-') && word !== '-') {
      const { option, value } = readOption(word, optionsOf(command));
      if (option && value !== undefined) give(option, value);
      else open = option;
    } else if (command || args.length > 0) args.push(word);
    else {
      const path = [...group, word].join(' ');
      command = commands.find(({ name }) => name === path);
      if (command) continue;
      if (commands.some(({ name }) => name.startsWith(`${path} `))) group.push(word);
      else if (word === 'help' && !isHelp) isHelp = true;
      else args.push(word);
    }
  }
  return { ...(command ? { command } : {}), group, args, ...(open ? { open } : {}), globals, isHelp, isPlain };
}

/** The command the words name, or the group of commands they lead into. */
export function locate(words: readonly string[], commands: readonly Command[]): Pick<TypedWords, 'command' | 'group'> {
  return readWords(words, commands);
}

/** An option that takes a value, and the value that the word gives it; nothing for switches and unknown options. */
function readOption(word: string, options: readonly CommandOption[]): { readonly option?: CommandOption; readonly value?: string } {
  const takers = options.filter(({ type }) => type !== 'bool');
  const start = valueStart(word);
  if (word.startsWith('--')) {
    const option = takers.find(({ name }) => name === word.slice(2, start > 0 ? start - 1 : undefined));
    return option ? { option, ...(start > 0 ? { value: word.slice(start) } : {}) } : {};
  }
  // Letters of switches may stand together; what follows the letter of another option is its value.
  for (let at = 1; at < word.length; at++) {
    const option = options.find(({ short }) => short === word.charAt(at));
    if (!option) return {};
    if (option.type !== 'bool') return { option, ...(at + 1 < word.length ? { value: word.slice(at + 1) } : {}) };
  }
  return {};
}
