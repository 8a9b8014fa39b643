import { defineCommand } from '@srv/lib-commands';
import { findPathPlugins } from '../plugins/path-plugins.js';
import type { CommandTable } from '@srv/engine/shell';

interface ListedPlugin {
  readonly name: string;
  readonly version?: string;
  /** `PATH` for a program, else where its package was found: `built-in`, `package` or `path`. */
  readonly origin: string;
  /** Of the program, or the folder of the package. */
  readonly path: string;
  readonly commands: readonly string[];
  /** Why it is left out; absent: it works. */
  readonly problem?: string | undefined;
}

export const pluginList = defineCommand({
  name: 'plugin list',
  summary: 'List available plugins of this tool',
  description: [
    'Lists programs named cli-<name> on PATH, which run as "cli <name>", and packages that add commands:',
    'name, version, origin, place, and the commands of packages. Skipped packages are reported on standard error.',
  ].join('\n'),
  examples: ['cli plugin list', 'cli plugin list -o json'],
  run({ commands, env, warn }) {
    const found = [...programs(commands, env.PATH ?? ''), ...packages(commands)];
    for (const { path, problem } of found) if (problem !== undefined) warn(`${path}: ${problem}`);
    return found;
  },
  render(found) {
    const working = found.filter(({ problem }) => problem === undefined);
    if (working.length === 0) return 'no plugins found';
    return working
      .map(({ name, version = '-', origin, path, commands }) => [name, version, origin, path, commands.join(', ')].join('\t').trimEnd())
      .join('\n');
  },
});

function programs(commands: CommandTable, path: string): ListedPlugin[] {
  return findPathPlugins(path, commands.firstWords()).map(plugin => ({ origin: 'PATH', commands: [], ...plugin }));
}

function packages(table: CommandTable): ListedPlugin[] {
  return table.packages.map(({ name, version, origin, folder, problem }) => ({
    name,
    version,
    origin,
    path: folder,
    commands: table.list().flatMap(({ command, plugin }) => (plugin === name ? [command.name] : [])),
    problem,
  }));
}
