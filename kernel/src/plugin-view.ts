import type { Logger } from './contracts/log.js';
import type { PluginKernel } from './plugin.js';

/** The kernel as one plugin sees it: each line that the plugin logs has its name as the field `service`. */
export function viewFor(plugin: string, kernel: PluginKernel): PluginKernel {
  return {
    hooks: kernel.hooks,
    services: kernel.services,
    get config() {
      return kernel.config;
    },
    get plugins() {
      return kernel.plugins;
    },
    log: loggerFor(plugin, kernel),
  };
}

/** A plugin may keep it from `apply` on, when there is no logging yet. */
function loggerFor(plugin: string, kernel: PluginKernel): Logger {
  let known: { readonly log: Logger; readonly own: Logger } | undefined;
  const own = (): Logger => {
    const { log } = kernel;
    if (known?.log !== log) known = { log, own: log.child({ service: plugin }) };
    return known.own;
  };
  return {
    trace: (fields, message) => own().trace(fields, message),
    debug: (fields, message) => own().debug(fields, message),
    info: (fields, message) => own().info(fields, message),
    warn: (fields, message) => own().warn(fields, message),
    error: (fields, message) => own().error(fields, message),
    child: fields => own().child(fields),
  };
}
