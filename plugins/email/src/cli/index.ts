/** The commands of the plugin. */
import { definePlugin } from '@srv/kernel';
import { authPasswordForgot } from './forgot.js';
import { authUsersInvite } from './invite.js';
import { authPasswordSet } from './set.js';

export const emailCommands = [authUsersInvite, authPasswordForgot, authPasswordSet];

export default definePlugin({
  name: 'email',
  apply({ hooks }) {
    hooks.commands.tap('email', registry => {
      for (const command of emailCommands) registry.add(command, 'email');
    });
  },
});
