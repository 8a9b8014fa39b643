/** The commands of a shell, and which lines begin with one. */
import { CommandTable } from './command-table.js';
import { placeCommands } from './place-commands.js';
import { placeListing } from './place-listing.js';
import type { CurrentUri } from './current-uri.js';

/** The commands of the program, those of `fs` by their last word too, and those that go from place to place. */
export function shellTable(commands: Pick<CommandTable, 'list' | 'packages'>, place: CurrentUri): CommandTable {
  const table = new CommandTable(commands.packages);
  for (const command of placeCommands(place)) table.add(command, 'cli');
  const registered = commands.list();
  const names = new Set(registered.map(({ command }) => command.name));
  for (const { command, plugin } of registered) {
    // A shell inside a shell has no use.
    if (command.name === 'repl' || command.name === 'run') continue;
    table.add(command, plugin);
    const short = /^fs (\S+)$/.exec(command.name)?.[1];
    if (short === undefined || names.has(short)) continue;
    table.add(short === 'ls' ? { ...placeListing(command, place), hidden: true } : { ...command, name: short, hidden: true }, plugin);
  }
  return table;
}

/** A word that `has` knows, not followed by what makes it an expression, as in `log = 1` or `diff(a)`. */
export function beginsWithCommand(line: string, has: (word: string) => boolean): boolean {
  const match = /^\s*([A-Za-z][\w-]*)(?=\s|$)\s*(\S*)/.exec(line);
  if (match === null) return false;
  const [, word = '', next = ''] = match;
  if (word === 'import' && isImport(line)) return false;
  return has(word) && !/^(=|[([.?,;]$|=>|in$|instanceof$)/.test(next);
}

/** The statement of JavaScript, and not the command. */
function isImport(line: string): boolean {
  return /^\s*import\s*(?:[{*"'(]|[\w$]+\s*(?:,|\sfrom\s*["']))/.test(line);
}
