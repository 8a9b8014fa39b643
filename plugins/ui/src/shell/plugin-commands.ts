/** Lets plugins add their commands to the shell, as `cli` does: by the hook `commands`. */
import { messageOf } from '@srv/kernel';
import type { CommandTable } from '@srv/engine/shell';
import type { Command } from '@srv/lib-commands';

/** What the kernel's hooks are for a part that runs in a browser: commands are taken, other taps are not called. */
interface Taps {
  readonly commands: { tap(name: string, add: (registry: Pick<CommandTable, 'add' | 'list'>) => void): void };
}

interface ShellPlugin {
  apply(kernel: { readonly hooks: Taps }): void;
}

const isPlugin = (found: unknown): found is ShellPlugin =>
  typeof found === 'object' && found !== null && 'apply' in found && typeof found.apply === 'function';

/** @returns why the plugin adds nothing; `undefined`: it did. */
export function addPluginCommands(table: CommandTable, plugin: string, module: { readonly default?: unknown }): string | undefined {
  if (!isPlugin(module.default)) return `the shell part of plugin ${plugin} has no plugin as default export`;
  const added: Command[] = [];
  const registry = { add: (command: Command) => void added.push(command), list: () => table.list() };
  const taps = new Map<string, unknown>([['commands', { tap: (_name: string, add: (to: typeof registry) => void) => add(registry) }]]);
  try {
    module.default.apply({ hooks: new Proxy({} as Taps, { get: (_, name) => taps.get(String(name)) ?? quiet }) });
  } catch (error) {
    return `the shell part of plugin ${plugin} does not work: ${messageOf(error)}`;
  }
  for (const command of added) table.add(command, plugin);
  return table.refused.get(plugin);
}

/** A hook that is never called here. */
const quiet = {
  tap(): void {},
  tapPromise(): void {},
  tapAsync(): void {},
  for: (): unknown => quiet,
  get: (): undefined => undefined,
};
