/** The plugin: adds the commands `srv kv`. */
import { definePlugin } from '@srv/kernel';
import { kvCommands } from './commands.js';

export default definePlugin({
  name: 'kv-tools',
  apply({ hooks }) {
    hooks.serverCommands.tap('kv-tools', registry => {
      for (const command of kvCommands) registry.add(command, 'kv-tools');
    });
  },
});
