/** A shell on a client that answers what a test says. */
import { Writable } from 'node:stream';
import { CommandTable, ShellCompleter } from '@srv/engine/shell';
import { builtInCommands } from '../src/commands/index.js';
import { localPaths } from '../src/local-paths.js';
import { runBatch } from '../src/shell/batch.js';
import { Session } from '../src/shell/session.js';
import { fakeContext, page } from './fake-context.js';
import type { CommandContext } from '@srv/lib-commands';
import type { SessionOptions } from '../src/shell/session.js';
import type { Answers } from './fake-context.js';

interface Shell {
  readonly session: Session;
  readonly completer: ShellCompleter;
  /** @returns the exit code. */
  readonly run: (text: string, changes?: { args?: string[]; keepGoing?: boolean; json?: boolean }) => Promise<number>;
  /** What it printed so far. */
  readonly out: () => string;
  readonly told: readonly string[];
  readonly calls: readonly (readonly [string, unknown])[];
}

interface ShellOptions extends Partial<SessionOptions> {
  readonly env?: Readonly<Record<string, string>>;
  /** Of the configuration, as far as the commands of a test look at it. */
  readonly settings?: unknown;
  /** Names of further commands, as plugins add them. */
  readonly added?: readonly string[];
}

export function shell(answers: Answers, { env = {}, settings, added = [], ...options }: ShellOptions = {}): Shell {
  const commands = new CommandTable();
  for (const command of builtInCommands) commands.add(command, 'cli');
  for (const name of added) commands.add({ name, summary: name, run: () => undefined }, 'a-plugin');
  const given = { commands, env: { HOME_REPO: 'repo', ...env }, ...(settings === undefined ? {} : { settings }) };
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
    completer: new ShellCompleter(session, localPaths),
    told: fake.told,
    calls: fake.calls,
    out: () => text,
    run: (script, { args = [], keepGoing = false, json = false } = {}) =>
      runBatch(script, 'script', { session, output, args, names: {}, keepGoing, json }),
  };
}
