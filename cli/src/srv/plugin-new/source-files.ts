/** The code of a new plugin: it logs commits, and has a command. Plugin authors replace both. */

/** Prefix of the configuration keys: keys have no dashes, since variables cannot. */
export const keyPrefix = (name: string): string => name.replaceAll('-', '_');

export const configFile = (name: string): string => `/** Keys of ${name}. */
import { defineConfig, key } from '@srv/kernel';

export default defineConfig({
  plugin: '${name}',
  keys: {
    '${keyPrefix(name)}.every': key.int({ min: 1, default: 1, meaning: 'Number of commits of a repository between two lines in the log' }),
  },
});
`;

export const serverFile = (name: string): string => `/** The plugin: wiring only; what it does is in the files beside it. */
import { definePlugin } from '@srv/kernel';
import section from '../config.js';
import { CommitCounter } from './commit-counter.js';

export default definePlugin({
  name: '${name}',
  apply(kernel) {
    let counter: CommitCounter | undefined;
    kernel.hooks.start.tap('${name}', () => {
      counter = new CommitCounter(kernel.config.values(section.keys)['${keyPrefix(name)}.every'], kernel.log);
    });
    kernel.hooks.event.for('post-commit').tap('${name}', ({ repository }) => counter?.count(repository));
  },
});
`;

export const counterFile = (): string => `/** Counts the commits of each repository since the server started. */
import type { Logger } from '@srv/kernel';

export class CommitCounter {
  readonly #every: number;
  readonly #log: Logger;
  readonly #counts = new Map<string, number>();

  /** @param every how many commits of a repository make one line of the log; at least 1. */
  constructor(every: number, log: Logger) {
    this.#every = every;
    this.#log = log;
  }

  count(repository: string): void {
    const commits = (this.#counts.get(repository) ?? 0) + 1;
    this.#counts.set(repository, commits);
    if (commits % this.#every === 0) this.#log.info({ repository, commits }, 'commits counted');
  }
}
`;

export const cliFile = (name: string): string => `/** The part of the command-line tool: one file per command. */
import { definePlugin } from '@srv/kernel';
import { hello } from './hello.js';

export default definePlugin({
  name: '${name}',
  apply(kernel) {
    kernel.hooks.commands.tap('${name}', registry => registry.add(hello, '${name}'));
  },
});
`;

export const commandFile = (name: string): string => `import { argument, defineCommand } from '@srv/lib-commands';

/** Returns data and prints nothing: \`render\` makes the text, \`-o json\` and the shell get the data. */
export const hello = defineCommand({
  name: '${name} hello',
  summary: 'Greet a user',
  examples: ['cli ${name} hello ann'],
  arguments: [{ name: 'name', description: 'whom to greet', required: true }],
  run: (_context, input) => ({ greeting: \`hello \${argument(input, 0)}\` }),
  render: ({ greeting }) => greeting,
});
`;

export const testFile = (name: string): string => `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { definePlugin, silentLogger } from '@srv/kernel';
import type { Logger } from '@srv/kernel';
import { createTestKernel } from '@srv/kernel/testing';
import { fakeContext, runCommand } from '@srv/lib-commands/testing';
import { hello } from '../src/cli/hello.js';
import section from '../src/config.js';
import plugin from '../src/server/index.js';

/** A plugin that gathers the fields of what is logged. */
function gatherLog(lines: unknown[]) {
  const log: Logger = { ...silentLogger, info: fields => void lines.push(fields), child: () => log };
  return definePlugin({
    name: 'test-log',
    apply: ({ hooks, services }) => hooks.configured.tap('test-log', () => services.provide('log', log)),
  });
}

test('every second commit of a repository is logged', async t => {
  const lines: unknown[] = [];
  const kernel = await createTestKernel({ plugins: [gatherLog(lines), { plugin, section }], config: { '${keyPrefix(name)}.every': 2 } });
  t.after(() => kernel.stop());
  for (const repository of ['one', 'one', 'two', 'one', 'one']) {
    const event = { runId: '1', type: 'post-commit', repository, storageNamespace: 'mem://x', sourceRef: 'main' } as const;
    await kernel.hooks.event.for('post-commit').promise(event);
  }
  assert.deepEqual(lines, [
    { repository: 'one', commits: 2 },
    { repository: 'one', commits: 4 },
  ]);
});

test('the command greets', async () => {
  const { data, text } = await runCommand([hello], fakeContext({}), hello.name, ['ann']);
  assert.deepEqual(data, { greeting: 'hello ann' });
  assert.equal(text, 'hello ann');
});
`;
