/** The commands of the plugin. */
import { definePlugin } from '@srv/kernel';
import { gcDeleteConfig } from './delete-config.js';
import { gcGetConfig } from './get-config.js';
import { gcSetConfig } from './set-config.js';

export default definePlugin({
  name: 'gc',
  apply({ hooks }) {
    hooks.commands.tap('gc', registry => {
      for (const command of [gcGetConfig, gcSetConfig, gcDeleteConfig]) registry.add(command, 'gc');
    });
  },
});
