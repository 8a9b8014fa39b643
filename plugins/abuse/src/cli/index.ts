/** Adds the commands of `abuse`. */
import { definePlugin } from '@srv/kernel';
import { commands } from './commands.js';

export default definePlugin({
  name: 'abuse',
  apply: ({ hooks }) =>
    hooks.commands.tap('abuse', registry => {
      for (const command of commands) registry.add(command, 'abuse');
    }),
});
