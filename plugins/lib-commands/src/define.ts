/** Helpers to write commands down. */
import { UsageError } from './failures.js';
import type { CommandArgument, CommandInput } from './arguments.js';
import type { Command } from './command.js';

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

/** @throws UsageError when two arguments name different repositories. */
export function sameRepository(a: { readonly repository: string }, b: { readonly repository: string }, complaint: string): void {
  if (a.repository !== b.repository) throw new UsageError(complaint);
}
