import { defineCommand, textOf } from '@srv/lib-commands';
import type {} from '@srv/auth/operations';

export const authUsersInvite = defineCommand({
  name: 'auth users invite',
  summary: 'Create a user and send an invitation',
  description: 'Create a user whose name is an e-mail address, and send a message with a link to choose a password.',
  examples: ['cli auth users invite --id ann@example.com'],
  options: [{ name: 'id', type: 'string', required: true, description: 'e-mail address' }],
  run: async (context, { options }) =>
    (await context.client()).createUser({ body: { id: textOf(options['id']) ?? '', invite_user: true } }),
  render: ({ id }) => `Invitation sent to ${id}.`,
});
