/** Parses the words of one line: which command they name, and its arguments and options. */
import { UsageError } from '@srv/lib-commands';
import { withPlace } from './current-uri.js';
import { buildProgram, normaliseHelp, normaliseSwitches, parserComplaint } from './program.js';
import type { Command as Parser } from 'commander';
import type { CommandTable } from './command-table.js';
import type { Invocation } from './program.js';

interface ParserOptions {
  readonly table: Pick<CommandTable, 'list'>;
  /** What `help` prints beyond the list of commands. */
  readonly help: string;
}

/** Keeps a parser for each first word: to build one for all commands takes longer than most commands. */
export class WordParser {
  readonly #options: ParserOptions;
  readonly #parsers = new Map<string, Parser>();
  #commands: ReturnType<CommandTable['list']> = [];
  #found: Invocation | undefined;
  #printed = '';

  constructor(options: ParserOptions) {
    this.#options = options;
  }

  /** @returns what the words call, or the help that they ask for. @throws UsageError for words that no command takes. */
  parse(words: readonly string[]): Invocation | { readonly help: string } {
    const all = this.#options.table.list();
    if (all.length !== this.#commands.length) this.#parsers.clear();
    this.#commands = all;
    const argv = normaliseHelp(words);
    const [first = ''] = argv;
    const own = all.filter(({ command }) => command.name === first || command.name.startsWith(`${first} `));
    const commands = own.length > 0 ? own : all;
    this.#found = undefined;
    this.#printed = '';
    try {
      this.#parserOf(own.length > 0 ? first : '', commands).parse(normaliseSwitches(argv, commands), { from: 'user' });
    } catch (error) {
      const { code, exitCode, message } = error as { code?: unknown; exitCode?: unknown; message?: unknown };
      if (typeof code !== 'string' || !code.startsWith('commander.')) throw error;
      // Help ends the parser, too.
      if (exitCode !== 0) throw new UsageError(parserComplaint(code, String(message), words, commands));
    }
    return this.#found ?? { help: inShell(this.#printed) };
  }

  #parserOf(word: string, commands: ReturnType<CommandTable['list']>): Parser {
    const known = this.#parsers.get(word);
    if (known) return known;
    const parser = buildProgram({
      commands,
      run: invocation => {
        this.#found = invocation;
      },
      showVersion: () => {},
      implied: withPlace,
      write: text => {
        this.#printed += text;
      },
    });
    parser.addHelpText('after', this.#options.help);
    this.#parsers.set(word, parser);
    return parser;
  }
}

/** Help as it is true where commands are typed without the word `cli`. */
function inShell(help: string): string {
  return help.replace(/^Usage: cli /gm, 'Usage: ').replace(/^ {2}cli /gm, '  ');
}
