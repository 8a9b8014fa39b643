/** `srv plugins list`: what the server and the command-line tool are made of. */

import { CommandTable } from '@srv/engine/shell';
import { Kernel } from '@srv/kernel';
import { alignedTable } from '@srv/lib-commands';
import { pluginPlaces } from '../places.js';
import { importModule } from '../plugins/import-module.js';
import { declaredSections, loadedOrOwn, serverKernel } from './server-kernel.js';
import type { SrvFlags } from './flags.js';

interface PluginRow {
  readonly name: string;
  readonly version: string;
  readonly origin: string;
  /** `enabled`, or why not. */
  readonly state: string;
  readonly keys: readonly string[];
  readonly hooks: readonly string[];
  readonly commands: readonly string[];
}

export interface ListFlags extends SrvFlags {
  readonly hooks?: boolean;
  readonly output?: string;
}

export async function listPlugins({ hooks, output, ...flags }: ListFlags): Promise<string> {
  const server = await loadedOrOwn(flags, () => serverKernel(flags).load());
  const wiring = server.wiring();
  const rows = await pluginRows(server, wiring);
  if (output === 'json') return JSON.stringify(hooks ? { plugins: rows, hooks: wiring } : rows, null, 2);
  const screen = process.stdout.isTTY ? process.stdout.columns : undefined;
  const counted = rows.map(r => [
    r.name,
    r.version,
    r.origin,
    r.state,
    String(r.keys.length),
    r.hooks.join(' ') || '-',
    r.commands.join(', ') || '-',
  ]);
  const table = alignedTable(['PLUGIN', 'VERSION', 'ORIGIN', 'STATE', 'KEYS', 'HOOKS', 'COMMANDS'], counted, screen);
  const broken = server.broken.map(({ folder, reason }) => `broken: ${folder}: ${reason}`);
  const wires = hooks
    ? [
        '',
        alignedTable(
          ['HOOK', 'TAPPED BY, IN ORDER'],
          Object.entries(wiring).map(([hook, names]) => [hook, names.join(', ')]),
          screen,
        ),
      ]
    : [];
  return [table, ...broken, ...wires].join('\n');
}

async function pluginRows(server: Kernel, wiring: Readonly<Record<string, readonly string[]>>): Promise<PluginRow[]> {
  const client = await clientKernel(server);
  const commands = new CommandTable();
  client.hooks.commands.call(commands);
  const selections = [...server.plugins, ...client.plugins.filter(c => !server.plugins.some(s => s.manifest.name === c.manifest.name))];
  const sections = declaredSections(server);
  const keysOf = (name: string): string[] => sections.filter(s => s.plugin === name).flatMap(s => Object.keys(s.keys));
  const hooksOf = (name: string): string[] =>
    Object.entries(wiring)
      .filter(([, names]) => names.includes(name))
      .map(([hook]) => hook);
  const commandsOf = (name: string): string[] =>
    commands
      .list()
      .filter(c => c.plugin === name)
      .map(c => c.command.name);
  return selections.map(({ manifest: { name, version, origin }, offBecause }) => ({
    name,
    version,
    origin,
    state: offBecause ?? 'enabled',
    keys: keysOf(name),
    hooks: hooksOf(name),
    commands: commandsOf(name),
  }));
}

/** The plugins' command-line parts; those switched off on the server stay off, and folders named there count. */
async function clientKernel(server: Kernel): Promise<Kernel> {
  const off = server.plugins.filter(p => p.offBecause !== undefined).map(p => p.manifest.name);
  const places = { ...pluginPlaces(), paths: server.pluginPaths };
  const { disabled, enabled } = server.switches;
  return new Kernel({ part: 'cli', places, importModule, switches: { disabled: [...new Set([...disabled, ...off])], enabled } }).load();
}
