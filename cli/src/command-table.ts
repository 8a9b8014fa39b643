/** The commands of the program: built-in ones first, then those of plugins. */
import type { Command, CommandRegistry } from '@srv/kernel';

export interface RegisteredCommand {
  readonly command: Command;
  /** Plugin that adds it; `cli` for built-in ones. */
  readonly plugin: string;
}

export class CommandTable implements CommandRegistry {
  readonly #commands = new Map<string, RegisteredCommand>();

  /** Built-in commands win over a plugin's command of the same name. @throws Error for two plugins with one name. */
  add(command: Command, plugin: string): void {
    const earlier = this.#commands.get(command.name);
    if (earlier?.plugin === 'cli') return;
    if (earlier) throw new Error(`command ${command.name} is added by both ${earlier.plugin} and ${plugin}; disable one of them`);
    this.#commands.set(command.name, { command, plugin });
  }

  list(): readonly RegisteredCommand[] {
    return [...this.#commands.values()];
  }
}
