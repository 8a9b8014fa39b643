/** No command of `cli` is unknown in the page: it runs there, or the page says where it does. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { loadCommands } from '@srv/cli/dist/src/run.js';
import { engineCommands } from '@srv/engine/commands';
import { CommandTable } from '@srv/engine/shell';
import { repositoryRoot } from './programs.js';

/** The page offers nothing to import: what is tried here is taken from its files. */
const ofPage = async (file: string): Promise<unknown> => import(pathToFileURL(join(repositoryRoot, 'plugins', 'ui', 'dist', file)).href);

interface ShellParts {
  readShellParts(plugins: string): readonly { readonly plugin: string; readonly module?: string; readonly words: readonly string[] }[];
}
interface ElsewhereModule {
  readonly Elsewhere: new (
    words: Readonly<Record<string, string>>,
    here: ReadonlySet<string>,
  ) => {
    readonly names: readonly string[];
    reason(line: string): string | undefined;
  };
}
interface PluginCommands {
  addPluginCommands(table: CommandTable, plugin: string, module: object): string | undefined;
}

test('every command of cli runs in the page, or the page says where it runs', async () => {
  const { readShellParts } = (await ofPage('build/shell-parts.js')) as ShellParts;
  const { Elsewhere } = (await ofPage('src/shell/elsewhere.js')) as ElsewhereModule;
  const { addPluginCommands } = (await ofPage('src/shell/plugin-commands.js')) as PluginCommands;
  const parts = readShellParts(join(repositoryRoot, 'plugins'));
  const here = new CommandTable();
  for (const command of engineCommands) here.add(command, 'cli');
  for (const { plugin, module } of parts) {
    if (module !== undefined)
      assert.equal(addPluginCommands(here, plugin, (await import(pathToFileURL(module).href)) as object), undefined);
  }
  const words = parts.flatMap(({ plugin, module, words: own }) => (module === undefined ? own.map(word => [word, plugin] as const) : []));
  const elsewhere = new Elsewhere(Object.fromEntries(words), here.firstWords());
  const names = new Set(here.list().map(({ command }) => command.name));
  const all = (await loadCommands()).list().map(({ command }) => command.name);
  assert.ok(all.length > 80, `${all.length} commands`);
  assert.deepEqual(
    all.filter(name => !names.has(name) && elsewhere.reason(name) === undefined),
    [],
  );
  assert.deepEqual(
    elsewhere.names.filter(name => names.has(name)),
    [],
    'what runs here is not said to run elsewhere',
  );
});
