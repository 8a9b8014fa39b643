/** Candidates for the word under the cursor. */
import { parseUri } from '@srv/lib-commands';
import { globalOptions } from './globals.js';
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

/**
 * @param words what stands before the word under the cursor, without the program's name.
 * @param partial what has been typed of that word.
 * @param context makes the context when the server has to be asked.
 * @param localPaths where an argument names a file.
 */
export async function complete(
  words: readonly string[],
  partial: string,
  commands: readonly RegisteredCommand[],
  context: () => Promise<Pick<CommandContext, 'client'>>,
  localPaths: LocalPaths,
): Promise<Candidate[]> {
  const { command, group } = locate(
    words,
    commands.map(c => c.command),
  );
  const options = [...(command?.options ?? []), ...globalOptions];
  const open = optionAwaitingValue(words.at(-1), options);
  if (open?.completes === 'path') return (await localPaths(partial)).map(value => ({ value }));
  if (open) return (open.choices ?? []).filter(choice => choice.startsWith(partial)).map(value => ({ value }));
  if (partial.startsWith('-')) return optionNames(options, partial);
  if (!command)
    return nextWords(
      group,
      partial,
      commands.map(c => c.command),
    );
  if (argumentAt(command, words)?.completes === 'path') return (await localPaths(partial)).map(value => ({ value }));
  if (!/^(s|srv|srv:.*)$/.test(partial))
    return command.name === 'completion'
      ? ['bash', 'zsh', 'fish'].filter(shell => shell.startsWith(partial)).map(value => ({ value }))
      : [];
  const asked = addresses(partial.startsWith('srv://') ? partial : 'srv://', await context()).catch(() => []);
  return (await withinBudget(asked, serverBudgetMs)).map(value => ({ value }));
}

/** What is known in time; nothing when the answer takes longer. @param budget milliseconds. */
export async function withinBudget(answer: Promise<readonly string[]>, budget: number): Promise<readonly string[]> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<readonly string[]>(resolve => {
    timer = setTimeout(resolve, budget, []);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/** The next argument of the command after the given words. */
function argumentAt(command: Command, words: readonly string[]): CommandArgument | undefined {
  const taken = new Set<number>();
  for (const [index, word] of words.entries()) {
    if (!word.startsWith('-')) continue;
    taken.add(index);
    if (optionAwaitingValue(word, [...(command.options ?? []), ...globalOptions])) taken.add(index + 1);
  }
  const count = words.filter((_, index) => !taken.has(index)).length - command.name.split(' ').length;
  const parameters = command.arguments ?? [];
  const last = parameters.at(-1);
  return parameters[count] ?? (last?.variadic ? last : undefined);
}

/** The command the words name, or the group of commands they lead into. */
export function locate(
  words: readonly string[],
  commands: readonly Command[],
): { readonly command?: Command; readonly group: readonly string[] } {
  const group: string[] = [];
  for (const word of words.filter(w => !w.startsWith('-'))) {
    const path = [...group, word].join(' ');
    const command = commands.find(c => c.name === path);
    if (command) return { command, group };
    if (!commands.some(c => c.name.startsWith(`${path} `))) break;
    group.push(word);
  }
  return { group };
}

function optionAwaitingValue(word: string | undefined, options: readonly CommandOption[]): CommandOption | undefined {
  return options.find(
    ({ name, short, type }) => type !== 'bool' && (word === `--${name}` || (short !== undefined && word === `-${short}`)),
  );
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
export async function addresses(partial: string, { client }: Pick<CommandContext, 'client'>): Promise<string[]> {
  const api = await client();
  const [, , host = '', ...rest] = partial.split('/');
  if (rest.length === 0) return (await api.listRepositories({ prefix: host, amount: most })).results.map(r => `srv://${r.id}/`);
  const { repository, ref = '', path } = parseUri(partial);
  if (path === undefined) {
    const query = { repository, prefix: ref, amount: most };
    const [branches, tags] = await Promise.all([api.listBranches(query), api.listTags(query)]);
    return [...branches.results, ...tags.results].map(({ id }) => `srv://${repository}/${id}/`);
  }
  const { results } = await api.listObjects({ repository, ref, prefix: path, delimiter: '/', amount: most });
  return results.map(o => `srv://${repository}/${ref}/${o.path}`).filter(isTypeable);
}
