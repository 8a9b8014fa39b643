/** What every command can use. */

import { UriError, branchUri, formatUri, pathUri, refUri, repositoryUri } from './uri.js';
import type { ConfigKeys, ConfigSection, Values } from '@srv/kernel';
import type { Client } from '@srv/lib-api/client';
import type { CommandOption, OptionValue } from './arguments.js';
import type { ProgressBar } from './output/progress.js';
import type { Terminal } from './output/terminal.js';
import type { PathUri, RefUri, SrvUri } from './uri.js';

/** The forms in which the data of every command can be printed. */
export const formats = ['json', 'yaml', 'name', 'table'] as const;
export type Format = (typeof formats)[number];

/** Reads an argument as an address of one kind; `label` is what messages call the argument. */
export interface UriReader {
  repository(argument: string, label?: string): SrvUri;
  ref(argument: string, label?: string): RefUri;
  branch(argument: string, label?: string): RefUri;
  path(argument: string, label?: string): PathUri;
}

/** The configuration of the command-line tool as commands of plugins see it. */
export interface CommandConfiguration {
  /** Where it is read from. */
  readonly file: string;
  /** Every key of the tool with its value, secrets masked, durations as they are written. */
  show(): readonly { readonly key: string; readonly value: unknown; readonly source: string }[];
  /** Values of keys that the command declares, from the file and from variables `CLI_…`. @throws SrvError that lists what is wrong. */
  read<K extends ConfigKeys>(section: ConfigSection<K>): Promise<Values<K>>;
}

/** What the running program offers to commands. `cli` adds, by interface merging, what only its own commands use. */
export interface CommandContext {
  readonly configuration: CommandConfiguration;
  readonly terminal: Terminal;
  readonly verbose: boolean;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
  readonly uri: UriReader;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The typed client of the server, made at the first call. */
  readonly client: () => Promise<Client>;
  /** Which thing is worked on, such as `Repository: srv://repo`; text output only. */
  readonly echo: (label: string, uri: SrvUri) => void;
  /** A line for the person, beside the output. */
  readonly tell: (line: string) => void;
  readonly warn: (line: string) => void;
  /** Returns when the user agrees or `yes` is set. @throws Error `<operation> aborted` otherwise. */
  readonly confirm: (operation: string, question: string, yes: OptionValue) => Promise<void>;
  /** A bar on standard error; without a terminal, with `hidden` or for less than a second nothing is drawn. */
  readonly progress: (title: string, options?: { readonly hidden?: boolean }) => ProgressBar;
  /** Standard input. */
  readonly input: AsyncIterable<Uint8Array | string>;
  /** Lists whose amount is not given are whole, as in scripts. */
  readonly wholeLists?: boolean;
  /** Requested format of the output; absent: text. */
  readonly format?: Format | undefined;
  /** Times a request is tried, the first one included. */
  readonly attempts: number;
  /** Transfers at a time: the option, else the configuration. @throws Error for less than 1. */
  readonly parallelism: (option: OptionValue) => number;
}

/** Reads addresses relative to a base URI. */
export function uriReader(base: string): UriReader {
  const reader =
    <U extends SrvUri>(read: (argument: string, base: string) => U, usual: string) =>
    (argument: string, label = usual): U => {
      try {
        return read(argument, base);
      } catch (error) {
        if (error instanceof UriError) throw new Error(`${label} ${shown(argument, error.message)}`, { cause: error });
        throw error;
      }
    };
  return {
    repository: reader(repositoryUri, 'repository URI'),
    ref: reader(refUri, 'ref URI'),
    branch: reader(branchUri, 'branch URI'),
    path: reader(pathUri, 'path URI'),
  };
}

/** Says what is wrong with which address. */
function shown(argument: string, complaint: string): string {
  const problem = complaint.replace(/^(?:repository|ref|branch) URI /, '');
  return problem.includes(JSON.stringify(argument)) ? problem : `${JSON.stringify(argument)} ${problem}`;
}

/** `Repository: srv://repo`. */
export function echoLine(label: string, uri: SrvUri): string {
  return `${label}: ${formatUri(uri)}`;
}

/** Options many commands share. */
export const yesOption: CommandOption = { name: 'yes', short: 'y', type: 'bool', default: false, description: 'do not ask, do it' };
export const preSignOption: CommandOption = {
  name: 'pre-sign',
  type: 'bool',
  default: true,
  description: 'transfer directly from and to the object store when the server supports it',
};
export const parallelismOption: CommandOption = {
  name: 'parallelism',
  short: 'p',
  type: 'int',
  description: 'transfers at a time (default 25, or options.parallelism)',
};
export const noProgressOption: CommandOption = { name: 'no-progress', type: 'bool', default: false, description: 'show no progress bar' };
