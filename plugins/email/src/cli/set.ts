import { defineCommand, textOf } from '@srv/lib-commands';
import type {} from '../operations.js';

export const authPasswordSet = defineCommand({
  name: 'auth password set',
  summary: 'Choose a password with the token of a message',
  description:
    'Choose a password with the token from the link of an invitation or of a reset message. Programs should pass the password in the variable CLI_NEW_PASSWORD: other users can see the options of a running command.',
  examples: ['CLI_NEW_PASSWORD=… cli auth password set --token eyJ…'],
  options: [
    { name: 'token', type: 'string', required: true, description: 'what follows token= in the link' },
    { name: 'password', type: 'string', description: 'new password; default: the variable CLI_NEW_PASSWORD' },
  ],
  async run(context, { options }) {
    const password = textOf(options['password']) ?? process.env['CLI_NEW_PASSWORD'];
    if (!password) throw new Error('no password given: pass --password or set CLI_NEW_PASSWORD');
    await (await context.client()).updatePassword({ body: { token: textOf(options['token']) ?? '', new_password: password } });
    return {};
  },
  render: () => 'Password set.',
});
