import { defineCommand } from '../define.js';
import { findPathPlugins } from '../plugins/path-plugins.js';

export const pluginList = defineCommand({
  name: 'plugin list',
  summary: 'List available plugins of this tool',
  description: 'Lists programs named cli-<name> on PATH, which run as "cli <name>", and npm plugins that add commands.',
  run({ commands, env, warn }) {
    const builtIn = new Set(commands.list().map(({ command }) => command.name.split(' ')[0] ?? ''));
    const onPath = findPathPlugins(env.PATH ?? '', builtIn);
    for (const { path, problem } of onPath) if (problem !== undefined) warn(`${path}: ${problem}`);
    const packages = new Map<string, string[]>();
    for (const { command, plugin } of commands.list())
      if (plugin !== 'cli') packages.set(plugin, [...(packages.get(plugin) ?? []), command.name]);
    return [
      ...onPath.filter(({ problem }) => problem === undefined).map(({ name, path }) => ({ name, path })),
      ...[...packages].map(([name, added]) => ({ name, commands: added })),
    ];
  },
  render: found =>
    found.length === 0
      ? 'no plugins found'
      : found
          .map(plugin => ('path' in plugin ? `${plugin.name}\t${plugin.path}` : `${plugin.name}\tadds ${plugin.commands.join(', ')}`))
          .join('\n'),
});
