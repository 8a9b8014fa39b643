/** Configuration from local settings, file, environment and flags, weakest first. */
import { definePlugin } from '@srv/kernel';
import { configCommands } from './commands/index.js';
import { environmentEntries, unreadVariables } from './environment.js';
import { findConfigFile, readConfigFile } from './file.js';
import { flagEntries } from './flags.js';
import { hasLocalSettings, localSettings } from './local-settings.js';
import type { ConfigEntry, SourceContext } from '@srv/kernel';
import type { ConfigOrigin } from '../contract.js';

export default definePlugin({
  name: 'config',
  apply({ hooks, services }) {
    const origin: { -readonly [name in keyof ConfigOrigin]: ConfigOrigin[name] } = {};
    services.provide('configOrigin', origin);
    hooks.serverCommands.tap('config', registry => {
      for (const command of configCommands) registry.add(command, 'config');
    });
    hooks.prepareSources.tap('config', context => {
      const { local } = wantsLocal(context) ? localSettings(context, strongerThanLocal(context), true) : {};
      if (local) origin.local = local;
    });
    hooks.configSources.tapPromise('config', async (earlier, context) => {
      const stronger = strongerThanLocal(context);
      const found = findConfigFile(context);
      if (found) origin.file = found.path;
      const { entries = [], local } = wantsLocal(context) ? localSettings(context, stronger, false) : {};
      if (local) origin.local = { ...local, created: origin.local?.created ?? false };
      return [...entries, ...earlier, ...stronger, ...unreadVariables(context)];
    });
  },
});

/** What file, environment and flags say. */
function strongerThanLocal(context: SourceContext): readonly ConfigEntry[] {
  const found = findConfigFile(context);
  return [...(found ? readConfigFile(found, context) : []), ...environmentEntries(context), ...flagEntries(context)];
}

/** `existing`: where neither file nor environment say which database, the one that is there. */
function wantsLocal(context: SourceContext): boolean {
  const { flags } = context;
  if (flags['local-settings'] === true || flags.quickstart === true) return true;
  if (flags['local-settings'] !== 'existing' || findConfigFile(context)) return false;
  const stronger = strongerThanLocal(context);
  return !stronger.some(({ key }) => key.toLowerCase() === 'database.type') && hasLocalSettings(context, stronger);
}
