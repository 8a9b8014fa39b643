/** Configuration from local settings, file, environment and flags, weakest first. */
import { definePlugin } from '@srv/kernel';
import type { ConfigEntry, SourceContext } from '@srv/kernel';
import type { ConfigOrigin } from '../contract.js';
import { environmentEntries, unreadVariables } from './environment.js';
import { findConfigFile, readConfigFile } from './file.js';
import { flagEntries } from './flags.js';
import { localSettings } from './local-settings.js';

export default definePlugin({
  name: 'config',
  apply({ hooks, services }) {
    const origin: { -readonly [name in keyof ConfigOrigin]: ConfigOrigin[name] } = {};
    services.provide('configOrigin', origin);
    hooks.configSources.tapPromise('config', async (earlier, context) => {
      const found = findConfigFile(context);
      const stronger = [...(found ? readConfigFile(found, context) : []), ...environmentEntries(context), ...flagEntries(context)];
      const { entries, local } = wantsLocal(context)
        ? localSettings(context, stronger)
        : { entries: [] as ConfigEntry[], local: undefined };
      if (found) origin.file = found.path;
      // The sources are read twice; what the first reading created was created by this run.
      if (local) origin.local = origin.local?.created ? { ...local, created: true } : local;
      return [...entries, ...earlier, ...stronger, ...unreadVariables(context)];
    });
  },
});

function wantsLocal({ flags }: SourceContext): boolean {
  return flags['local-settings'] === true || flags.quickstart === true;
}
