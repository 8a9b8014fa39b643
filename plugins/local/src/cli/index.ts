/** Adds the commands of `local`. */
import { definePlugin } from '@srv/kernel';
import { commands } from './commands.js';

export default definePlugin({
  name: 'local',
  apply: ({ hooks }) =>
    hooks.commands.tap('local', registry => {
      for (const command of commands) registry.add(command, 'local');
    }),
});
