import { defineCommand, textOf } from '@srv/lib-commands';
import type {} from '../operations.js';

export const authPasswordForgot = defineCommand({
  name: 'auth password forgot',
  summary: 'Request a message with a link to choose a new password',
  examples: ['cli auth password forgot --email ann@example.com'],
  options: [{ name: 'email', type: 'string', required: true, description: 'e-mail address of the user' }],
  async run(context, { options }) {
    const email = textOf(options['email']) ?? '';
    await (await context.client()).forgotPassword({ body: { email } });
    return { email };
  },
  render: ({ email }) => `If ${email} is known, a message is on its way.`,
});
