/** The commands of the program: built-in ones first, then those of plugins. */
import type { Command, CommandRegistry } from '@srv/kernel';
import type { PluginPackage } from './plugins/plugin-packages.js';

export interface RegisteredCommand {
  readonly command: Command;
  /** Plugin that adds it; `cli` for built-in ones. */
  readonly plugin: string;
}

/** A command that is not reached, since another has its name. */
export interface ShadowedCommand extends RegisteredCommand {
  /** Plugin whose command wins. */
  readonly by: string;
}

export class CommandTable implements CommandRegistry {
  readonly #commands = new Map<string, RegisteredCommand>();
  readonly #shadowed: ShadowedCommand[] = [];
  /** The plugin packages that were found, those left out too. */
  readonly packages: readonly PluginPackage[];

  constructor(packages: readonly PluginPackage[] = []) {
    this.packages = packages;
  }

  /** Of two commands with one name the first wins, and built-in commands come first. */
  add(command: Command, plugin: string): void {
    const earlier = this.#commands.get(command.name);
    if (earlier) this.#shadowed.push({ command, plugin, by: earlier.plugin });
    else this.#commands.set(command.name, { command, plugin });
  }

  list(): readonly RegisteredCommand[] {
    return [...this.#commands.values()];
  }

  get shadowed(): readonly ShadowedCommand[] {
    return this.#shadowed;
  }

  /** First words of all commands: programs on PATH with such a name are not reached. */
  firstWords(): ReadonlySet<string> {
    return new Set(['help', ...this.list().map(({ command }) => command.name.split(' ')[0] ?? '')]);
  }
}
