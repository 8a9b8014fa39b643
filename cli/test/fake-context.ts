/** Built-in commands in a context that answers what a test says. */
import { runCommand as runOf } from '@srv/lib-commands/testing';
import { builtInCommands } from '../src/commands/index.js';
import type { FakeContext } from '@srv/lib-commands/testing';

export { fakeContext, page, refusal } from '@srv/lib-commands/testing';
export type { Answers, FakeContext } from '@srv/lib-commands/testing';

type Rest = Parameters<typeof runOf> extends [unknown, unknown, ...infer R] ? R : never;

/** Runs a built-in command with its defaults. @returns data and text. */
export function runCommand(context: FakeContext, ...rest: Rest): ReturnType<typeof runOf> {
  return runOf(builtInCommands, context, ...rest);
}
