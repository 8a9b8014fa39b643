/** Candidates for the word under the cursor. */
import { parseUri } from '@srv/lib-commands';
import { optionsOf, readWords, valueStart } from './typed-words.js';
import type { Command, CommandArgument, CommandContext, CommandOption } from '@srv/lib-commands';
import type {} from '../operations/index.js';
import type { RegisteredCommand } from './command-table.js';

export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

/** Files and folders of this machine that begin like `partial`; folders end with a slash. */
export type LocalPaths = (partial: string) => Promise<readonly string[]>;

/** A value with control characters cannot be typed, and a shell takes a line break or a tab in it for the end of a candidate. */
export const isTypeable = (value: string): boolean => !/\p{Cc}/u.test(value);

/** Milliseconds that a completion waits for the server. */
const serverBudgetMs = 1000;
const most = 200;

type Globals = Readonly<Record<string, string>>;
type Server = Pick<CommandContext, 'client'>;

export interface CompletionSources {
  readonly commands: readonly RegisteredCommand[];
  /** Makes the context when the server has to be asked. @param globals the global options of the line that take values. */
  readonly context: (globals: Globals) => Promise<Server>;
  /** Where a word names a file. */
  readonly localPaths: LocalPaths;
  /** Put before addresses without `srv://`, unless the line has another one. Default: nothing. */
  readonly baseUri?: string | undefined;
}

/**
 * @param words what stands before the word under the cursor, without the program's name.
 * @param partial what has been typed of that word.
 */
export async function complete(words: readonly string[], partial: string, sources: CompletionSources): Promise<Candidate[]> {
  const commands = sources.commands.map(({ command }) => command);
  const { command, group, args, open, globals, isHelp, isPlain } = readWords(words, commands);
  const options = optionsOf(command);
  if (open) return asCandidates(await optionValues(open, partial, globals, sources));
  if (!isPlain && partial.startsWith('-')) {
    const start = valueStart(partial);
    if (start === 0) return optionNames(options, partial);
    const option = options.find(({ name, type }) => type !== 'bool' && `--${name}=` === partial.slice(0, start));
    const values = option ? await optionValues(option, partial.slice(start), globals, sources) : [];
    return asCandidates(values.map(value => partial.slice(0, start) + value));
  }
  if (!command) return args.length > 0 ? [] : nextWords(group, partial, commands);
  return isHelp ? [] : asCandidates(await argumentValues(command, args.length, partial, { ...sources, globals }));
}

const asCandidates = (values: readonly string[]): Candidate[] => values.map(value => ({ value }));

async function optionValues(
  option: CommandOption,
  partial: string,
  globals: Globals,
  { context, localPaths }: CompletionSources,
): Promise<readonly string[]> {
  if (option.completes === 'path') return localPaths(partial);
  if (option.choices) return option.choices.filter(choice => choice.startsWith(partial));
  // Which texts are addresses shows when one is typed.
  return partial.startsWith('srv:') ? serverAddresses(partial, () => context(globals)) : [];
}

/** @param count arguments before this one. */
async function argumentValues(
  command: Command,
  count: number,
  partial: string,
  { context, localPaths, globals, baseUri = '' }: CompletionSources & { readonly globals: Globals },
): Promise<readonly string[]> {
  const parameters = command.arguments ?? [];
  const last = parameters.at(-1);
  const argument: CommandArgument | undefined = parameters[count] ?? (last?.variadic ? last : undefined);
  if (argument?.completes === 'path') return localPaths(partial);
  if (command.name === 'completion') return ['bash', 'zsh', 'fish'].filter(shell => shell.startsWith(partial));
  if (/^(s|srv|srv:.*)$/.test(partial)) return serverAddresses(partial, () => context(globals));
  const base = globals['base-uri'] ?? baseUri;
  if (base === '' || !argument?.description.startsWith('srv://')) return [];
  return (await serverAddresses(base + partial, () => context(globals)))
    .filter(address => address.startsWith(base))
    .map(address => address.slice(base.length));
}

function serverAddresses(partial: string, context: () => Promise<Server>): Promise<readonly string[]> {
  const start = partial.startsWith('srv://') ? partial : 'srv://';
  return withinBudget(async signal => addresses(start, await context(), signal), serverBudgetMs);
}

/**
 * The answer, if it comes in time; nothing if it fails or takes longer.
 * @param ask its signal fires when the time is over.
 * @param budget milliseconds.
 */
export async function withinBudget(ask: (signal: AbortSignal) => Promise<readonly string[]>, budget: number): Promise<readonly string[]> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<readonly string[]>(resolve => {
    timer = setTimeout(() => {
      resolve([]);
      controller.abort();
    }, budget);
  });
  return Promise.race([ask(controller.signal).catch(() => []), late]).finally(() => clearTimeout(timer));
}

function optionNames(options: readonly CommandOption[], partial: string): Candidate[] {
  return options
    .filter(({ name, hidden }) => !hidden && `--${name}`.startsWith(partial))
    .map(({ name, description }) => ({ value: `--${name}`, description }));
}

function nextWords(group: readonly string[], partial: string, commands: readonly Command[]): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const { name, summary, hidden } of commands) {
    const words = name.split(' ');
    const next = words[group.length];
    if (hidden || next === undefined || !group.every((word, i) => words[i] === word) || !next.startsWith(partial)) continue;
    found.set(next, { value: next, ...(words.length === group.length + 1 ? { description: summary } : {}) });
  }
  return [...found.values()];
}

/** Absolute addresses that begin like `partial`: repositories, then branches and tags, then paths one folder at a time. */
export async function addresses(partial: string, { client }: Server, signal: AbortSignal): Promise<string[]> {
  const api = await client();
  const [, , host = '', ...rest] = partial.split('/');
  if (rest.length === 0) return (await api.listRepositories({ prefix: host, amount: most }, { signal })).results.map(r => `srv://${r.id}/`);
  const { repository, ref = '', path } = parseUri(partial);
  if (path === undefined) {
    const query = { repository, prefix: ref, amount: most };
    const [branches, tags] = await Promise.all([api.listBranches(query, { signal }), api.listTags(query, { signal })]);
    return [...branches.results, ...tags.results].map(({ id }) => `srv://${repository}/${id}/`);
  }
  const { results } = await api.listObjects({ repository, ref, prefix: path, delimiter: '/', amount: most }, { signal });
  return results.map(o => `srv://${repository}/${ref}/${o.path}`).filter(isTypeable);
}
