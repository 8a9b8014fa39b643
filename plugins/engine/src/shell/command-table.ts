/** The commands of the program: built-in ones first, then those of plugins. */
import type { Command, CommandRegistry } from '@srv/lib-commands';

/** A package with commands, or one that should have some. */
export interface PluginPackage {
  readonly name: string;
  readonly version: string;
  /** `built-in`, `package` (found in node_modules) or `path` (named in `plugins.paths`). */
  readonly origin: string;
  readonly folder: string;
  /** Why it is left out; absent: it works. */
  readonly problem?: string;
}

export interface RegisteredCommand {
  readonly command: Command;
  /** Plugin that adds it; `cli` for built-in ones. */
  readonly plugin: string;
}

/** A plugin with a command whose name is taken is left out whole: half a plugin would surprise more than a missing one. */
export class CommandTable implements CommandRegistry {
  readonly #added = new Map<string, Command[]>();
  readonly #packages: readonly PluginPackage[];
  #resolved:
    | {
        readonly commands: ReadonlyMap<string, RegisteredCommand>;
        readonly refused: ReadonlyMap<string, string>;
        readonly list: readonly RegisteredCommand[];
      }
    | undefined;

  /** @param packages the plugin packages that were found, those left out too. */
  constructor(packages: readonly PluginPackage[] = []) {
    this.#packages = packages;
  }

  add(command: Command, plugin: string): void {
    this.#resolved = undefined;
    const commands = this.#added.get(plugin);
    if (commands) commands.push(command);
    else this.#added.set(plugin, [command]);
  }

  list(): readonly RegisteredCommand[] {
    return this.#resolve().list;
  }

  /** Plugins whose commands are left out, with the reason, which names both owners of a command. */
  get refused(): ReadonlyMap<string, string> {
    return this.#resolve().refused;
  }

  /** The plugin packages that were found; those left out say why. */
  get packages(): readonly PluginPackage[] {
    return this.#packages.map(found => {
      const problem = found.problem ?? this.refused.get(found.name);
      return problem === undefined ? found : { ...found, problem };
    });
  }

  /** First words of all commands: programs on PATH with such a name are not reached. */
  firstWords(): ReadonlySet<string> {
    return new Set(['help', ...this.list().map(({ command }) => command.name.split(' ')[0] ?? '')]);
  }

  #resolve() {
    if (this.#resolved) return this.#resolved;
    const commands = new Map<string, RegisteredCommand>();
    const refused = new Map<string, string>();
    for (const [plugin, own] of this.#added) {
      const names = own.map(({ name }) => name);
      const taken = names.find(name => commands.has(name)) ?? names.find((name, index) => names.indexOf(name) !== index);
      if (taken === undefined) for (const command of own) commands.set(command.name, { command, plugin });
      else refused.set(plugin, `command ${taken} is added by both ${commands.get(taken)?.plugin ?? plugin} and ${plugin}`);
    }
    this.#resolved = { commands, refused, list: [...commands.values()] };
    return this.#resolved;
  }
}
