/** What a plugin is, and what it gets. */
import { SrvError } from './errors.js';
import type { Config } from './config/index.js';
import type { Logger } from './contracts/log.js';
import type { Selection } from './discovery.js';
import type { Hooks } from './hooks.js';
import type { ServiceRegistry } from './services.js';

/** The kernel as plugins see it. */
export interface PluginKernel {
  readonly hooks: Hooks;
  readonly services: ServiceRegistry;
  /** From the hook `configured` on. */
  readonly config: Config;
  /** Adds the plugin's name to each line, as the field `service`. */
  readonly log: Logger;
  /** All that were found, in order of application. */
  readonly plugins: readonly Selection[];
}

export interface Plugin {
  /** Equals `srv.name` of the package's manifest; every tap bears it. */
  readonly name: string;
  /** Taps hooks. Opens nothing: that is what the `start` hook is for. */
  apply(kernel: PluginKernel): void | Promise<void>;
}

/** Checks the shape at the place of definition, so that a mistake names its author. */
export function definePlugin<P extends Plugin>(plugin: P): P {
  if (!/^[a-z][a-z0-9-]*$/.test(plugin.name)) {
    throw new SrvError('plugin', `plugin name ${JSON.stringify(plugin.name)} must be lower-case letters, digits and dashes`);
  }
  return plugin;
}
