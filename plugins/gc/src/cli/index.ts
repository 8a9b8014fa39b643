/** The commands of the plugin. */
import { definePlugin } from '@srv/kernel';
import { gcDeleteConfig } from './delete-config.js';
import { gcGetConfig } from './get-config.js';
import { gcExplain, gcList, gcPurge, gcRestore, gcShow, gcStatus } from './inspect.js';
import { gcRun } from './run.js';
import { gcSetConfig } from './set-config.js';

export default definePlugin({
  name: 'gc',
  apply({ hooks }) {
    hooks.commands.tap('gc', registry => {
      registry.add(gcGetConfig, 'gc');
      registry.add(gcSetConfig, 'gc');
      registry.add(gcDeleteConfig, 'gc');
      registry.add(gcRun, 'gc');
      registry.add(gcStatus, 'gc');
      registry.add(gcList, 'gc');
      registry.add(gcShow, 'gc');
      registry.add(gcExplain, 'gc');
      registry.add(gcRestore, 'gc');
      registry.add(gcPurge, 'gc');
    });
  },
});
