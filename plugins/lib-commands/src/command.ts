/** Commands as data: the same object serves the command line, the shell and scripts. Completes the kernel's hooks `commands` and `serverCommands`. */
import type { Kernel } from '@srv/kernel';
import type { CommandArgument, CommandInput, CommandOption } from './arguments.js';
import type { CommandContext } from './context.js';

export type { CommandRegistry, ServerCommandRegistry } from '@srv/kernel';

export interface Command<Data = unknown> {
  /** Words that call it, such as `fs upload`. */
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly examples?: readonly string[];
  readonly arguments?: readonly CommandArgument[];
  readonly options?: readonly CommandOption[];
  readonly hidden?: boolean;
  /** Changes files of this machine, or does more than call the server: a dry run names the command and does not run it. */
  readonly localEffects?: boolean;
  /** Can read `context.input`: a pipeline may end in it, as in `program | fs upload -s - …`. */
  readonly readsInput?: boolean;
  /** Does the work and returns data; prints nothing. */
  run(context: CommandContext, input: CommandInput): Promise<Data> | Data;
  /** Whether the data report a failure: they are printed nevertheless, and the program ends with exit code 1. */
  failed?(data: Data): boolean;
  /** Text for a person; of a stream (`AsyncIterable`), for one item. Absent: a generic table. */
  render?(data: Data extends AsyncIterable<infer Item> ? Item : Data, context: CommandContext, input: CommandInput): string;
}

/** Options that every command of `srv` understands. */
export interface ServerFlags {
  readonly config?: string;
  readonly localSettings?: boolean;
  readonly quickstart?: boolean;
}

export interface KernelWanted {
  readonly prepare?: boolean;
  readonly inTrouble?: boolean;
  readonly quiet?: boolean;
}

/** What a command of `srv` works with. */
export interface ServerCommandContext {
  readonly flags: ServerFlags;
  /** Writes to standard output, with a line break at the end. */
  print(text: string): void;
  /**
   * A kernel with the plugins applied and the configuration read; it has opened nothing yet.
   * @param options.prepare false: nothing is made that does not exist, such as the secrets of a first run.
   * @param options.inTrouble true: if a plugin from elsewhere is broken, those of srv alone, with a warning.
   * @param options.quiet false: the log is configured as for `srv run`. Default: only warnings, to standard error.
   */
  kernel(options?: KernelWanted): Promise<Kernel>;
  /** A kernel of every plugin found, disabled ones included, that has not read the configuration. */
  everyPlugin(): Promise<Kernel>;
}

/** A command of the program `srv`, such as `kv dump`. */
export interface ServerCommand extends Pick<Command, 'name' | 'summary' | 'description' | 'arguments' | 'options' | 'hidden'> {
  readonly aliases?: readonly string[];
  /** Of a name of several words: what the words before the last one are about, for help. */
  readonly about?: string;
  /** @returns the exit code; nothing: 0. */
  run(context: ServerCommandContext, input: CommandInput): Promise<number | undefined>;
}

declare module '@srv/kernel' {
  interface CommandRegistry {
    /** @throws SrvError `plugin` that names both plugins when the name is taken. */
    add(command: Command, plugin: string): void;
    list(): readonly { readonly command: Command; readonly plugin: string }[];
  }

  interface ServerCommandRegistry {
    /** @throws SrvError `plugin` that names both plugins when the name is taken. */
    add(command: ServerCommand, plugin: string): void;
    list(): readonly { readonly command: ServerCommand; readonly plugin: string }[];
  }
}
