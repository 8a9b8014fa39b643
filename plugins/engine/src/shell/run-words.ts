/** Parses the words of one line and runs the command they name. */
import { UsageError } from '@srv/lib-commands';
import { withPlace } from './current-uri.js';
import { buildProgram, normaliseHelp, normaliseSwitches, parserComplaint } from './program.js';
import type { RegisteredCommand } from './command-table.js';
import type { Invocation } from './program.js';

export interface WordsOptions {
  readonly commands: readonly RegisteredCommand[];
  readonly run: (invocation: Invocation) => Promise<void>;
  /** Where help goes. */
  readonly write: (text: string) => void;
  /** What `help` prints beyond the list of commands. */
  readonly help: string;
}

/** @throws UsageError for words that no command takes, and what the command throws. */
export async function runWords(words: readonly string[], { commands, run, write, help }: WordsOptions): Promise<void> {
  const program = buildProgram({ commands, run, showVersion: async () => {}, implied: withPlace, write });
  program.addHelpText('after', help);
  try {
    await program.parseAsync(normaliseSwitches(normaliseHelp(words), commands), { from: 'user' });
  } catch (error) {
    const { code, exitCode, message } = error as { code?: unknown; exitCode?: unknown; message?: unknown };
    if (typeof code !== 'string' || !code.startsWith('commander.')) throw error;
    // Help ends the parser, too.
    if (exitCode !== 0) throw new UsageError(parserComplaint(code, String(message), words, commands));
  }
}
