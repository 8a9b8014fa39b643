/** Adds the commands of `bisect`. */
import { definePlugin } from '@srv/kernel';
import { commands } from './commands.js';

export default definePlugin({
  name: 'bisect',
  apply: ({ hooks }) =>
    hooks.commands.tap('bisect', registry => {
      for (const command of commands) registry.add(command, 'bisect');
    }),
});
