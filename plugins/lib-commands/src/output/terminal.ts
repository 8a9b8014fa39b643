/** What the terminal can do, decided once at the start. */
import picocolors from 'picocolors';

export type Colours = ReturnType<typeof picocolors.createColors>;

export interface Terminal {
  /** Boxed tables and progress bars: standard output is a terminal, or `CLI_INTERACTIVE` says so. */
  readonly interactive: boolean;
  /** Width of the screen in characters; absent: unknown. */
  readonly columns?: number | undefined;
  /** A person can be asked. */
  readonly canAsk: boolean;
  readonly colours: Colours;
}

export interface TerminalFacts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdoutIsTerminal: boolean;
  readonly stdinIsTerminal: boolean;
  readonly columns?: number | undefined;
  /** `--no-color` given. */
  readonly noColor: boolean;
}

const falseWords = new Set(['0', 'f', 'false', 'n', 'no']);

/** `NO_COLOR` (other than `0`) and `--no-color` switch colours off; they leave tables and questions alone. */
export function describeTerminal({ env, stdoutIsTerminal, stdinIsTerminal, columns, noColor }: TerminalFacts): Terminal {
  const { CLI_INTERACTIVE: wish, NO_COLOR: plain } = env;
  const interactive = wish === undefined || wish === '' ? stdoutIsTerminal : !falseWords.has(wish.toLowerCase());
  const plainWished = plain !== undefined && plain !== '' && plain !== '0';
  const colours = picocolors.createColors(interactive && !noColor && !plainWished);
  return { interactive, canAsk: stdinIsTerminal, colours, columns };
}
