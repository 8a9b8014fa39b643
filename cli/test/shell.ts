/** A shell on a client that answers what a test says. */
import { Writable } from 'node:stream';
import { CommandTable, ShellCompleter } from '@srv/engine/shell';
import { builtInCommands } from '../src/commands/index.js';
import { localPaths } from '../src/local-paths.js';
import { runBatch } from '../src/shell/batch.js';
import { Session } from '../src/shell/session.js';
import { fakeContext, page } from './fake-context.js';
import type { Command, CommandContext } from '@srv/lib-commands';
import type { SessionOptions } from '../src/shell/session.js';
import type { Answers } from './fake-context.js';

interface Shell {
  readonly session: Session;
  readonly completer: ShellCompleter;
  /** @returns the exit code. */
  readonly run: (text: string, changes?: { args?: string[]; keepGoing?: boolean; json?: boolean }) => Promise<number>;
  readonly output: NodeJS.WritableStream;
  /** What it printed so far. */
  readonly out: () => string;
  readonly told: readonly string[];
  readonly calls: readonly (readonly [string, unknown])[];
}

interface ShellOptions extends Partial<SessionOptions> {
  readonly env?: Readonly<Record<string, string>>;
  /** Of the program. */
  readonly signal?: AbortSignal;
  /** Further names for JavaScript. */
  readonly names?: Readonly<Record<string, unknown>>;
  /** Of the configuration, as far as the commands of a test look at it. */
  readonly settings?: unknown;
  /** Further commands, as plugins add them; a name alone: one that does nothing. */
  readonly added?: readonly (string | Command)[];
}

export function shell(answers: Answers, { env = {}, signal, names = {}, settings, added = [], ...options }: ShellOptions = {}): Shell {
  const commands = new CommandTable();
  for (const command of builtInCommands) commands.add(command, 'cli');
  for (const each of added) commands.add(typeof each === 'string' ? { name: each, summary: each, run: () => undefined } : each, 'a-plugin');
  const given = {
    commands,
    env: { HOME_REPO: 'repo', ...env },
    ...(signal && { signal }),
    ...(settings === undefined ? {} : { settings }),
  };
  const fake = fakeContext({ listObjects: page([]), getRepository: {}, ...answers }, given as object as Partial<CommandContext>);
  let text = '';
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  const errors = new Writable({ write: (_chunk, _encoding, done) => done() });
  const session = new Session({ context: fake.context, output, errors, ...options });
  return {
    session,
    output,
    completer: new ShellCompleter(session, localPaths),
    told: fake.told,
    calls: fake.calls,
    out: () => text,
    run: (script, { args = [], keepGoing = false, json = false } = {}) =>
      runBatch(script, 'script', { session, output, args, names, keepGoing, json, showValues: true }),
  };
}
