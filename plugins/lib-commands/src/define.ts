/** Helpers to write commands down. */
import type { CommandArgument, CommandInput } from './arguments.js';
import type { Command } from './command.js';
import type { CommandContext } from './context.js';

/** Infers the type of a command's data from `run`. */
export function defineCommand<Data>(command: Command<Data>): Command<Data> {
  return command;
}

/** An argument that must be given. */
export function required(name: string, description: string): CommandArgument {
  return { name, description, required: true };
}

export const repositoryArgument = required('repository URI', 'srv://<repository>');
export const branchArgument = required('branch URI', 'srv://<repository>/<branch>');
export const refArgument = required('ref URI', 'srv://<repository>/<ref>');
export const commitArgument = required('commit URI', 'srv://<repository>/<commit>');
export const tagArgument = required('tag URI', 'srv://<repository>/<tag>');
export const pathArgument = required('path URI', 'srv://<repository>/<ref>/<path>');

/** Argument number `index`; arity was checked before. */
export function argument({ args }: CommandInput, index: number): string {
  return args[index] ?? '';
}

/** @throws Error when two arguments name different repositories. */
export function sameRepository(a: { readonly repository: string }, b: { readonly repository: string }, complaint: string): void {
  if (a.repository !== b.repository) throw new Error(complaint);
}

export interface PageQuery {
  readonly amount: number;
  readonly after?: string;
  readonly prefix?: string;
}

export interface ResultPage<T> {
  readonly results: readonly T[];
  readonly pagination: { readonly has_more: boolean; readonly next_offset: string };
}

/** The pagination options as the API takes them. */
export function pageQuery({ options }: CommandInput): PageQuery {
  const { amount, after, prefix } = options;
  return {
    amount: typeof amount === 'number' ? amount : 100,
    ...(after ? { after: String(after) } : {}),
    ...(prefix ? { prefix: String(prefix) } : {}),
  };
}

/** Says how to see more when there is more. */
export function hintMore<T>({ tell, terminal }: CommandContext, page: ResultPage<T>, amount: number): ResultPage<T> {
  const { has_more: more, next_offset: offset } = page.pagination;
  if (more) tell(`for more results run with ${terminal.colours.yellowBright(`--amount ${amount} --after ${JSON.stringify(offset)}`)}`);
  return page;
}

/** Every item of a paged list, page by page. */
export async function* everything<T>(
  page: (query: { readonly amount: number; readonly after?: string }) => Promise<ResultPage<T>>,
  amount = 1000,
): AsyncGenerator<T> {
  for (let after = ''; ; ) {
    const { results, pagination } = await page({ amount, ...(after === '' ? {} : { after }) });
    yield* results;
    if (!pagination.has_more) return;
    after = pagination.next_offset;
  }
}
