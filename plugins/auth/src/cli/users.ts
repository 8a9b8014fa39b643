import { defineCommand, formatDate, listed, paginationOptions, table } from '@srv/lib-commands';
import { createdBlock, given, userIdOption } from './options.js';

export const authUsersCreate = defineCommand({
  name: 'auth users create',
  summary: 'Create a user',
  examples: ['cli auth users create --id carol'],
  options: [userIdOption],
  run: async (context, input) => (await context.client()).createUser({ body: { id: given(input, 'id') } }),
  render: (user, context) => createdBlock('User', user, context),
});

export const authUsersDelete = defineCommand({
  name: 'auth users delete',
  summary: 'Delete a user with its credentials',
  examples: ['cli auth users delete --id bob'],
  options: [userIdOption],
  async run(context, input) {
    const id = given(input, 'id');
    await (await context.client()).deleteUser({ userId: id });
    return { id };
  },
  render: () => 'User deleted successfully.',
});

export const authUsersSessionsRevoke = defineCommand({
  name: 'auth users sessions revoke',
  summary: 'End all sessions of a user',
  description:
    'End all sessions of a user: login tokens stop working, here at once and on other servers within auth.cache.ttl. Access keys keep working.',
  examples: ['cli auth users sessions revoke --id bob'],
  options: [userIdOption],
  async run(context, input) {
    const id = given(input, 'id');
    await (await context.client()).revokeSessions({ userId: id });
    return { id };
  },
  render: ({ id }) => `Sessions of ${id} ended.`,
});

export const authUsersList = defineCommand({
  name: 'auth users list',
  summary: 'List users',
  examples: ['cli auth users list'],
  options: paginationOptions,
  async run(context, input) {
    const api = await context.client();
    return listed(context, input, query => api.listUsers(query));
  },
  render: ({ results }, { terminal }) =>
    table(
      ['ID', 'User', 'Creation Date'],
      results.map(u => [u.id, u.friendly_name || u.email || u.id, formatDate(u.creation_date)]),
      terminal,
    ),
});

export const authUsersGroupsList = defineCommand({
  name: 'auth users groups list',
  summary: 'List the groups a user is in',
  examples: ['cli auth users groups list --id eve'],
  options: [userIdOption, ...paginationOptions],
  async run(context, input) {
    const api = await context.client();
    return listed(context, input, query => api.listUserGroups({ userId: given(input, 'id'), ...query }));
  },
  render: ({ results }, { terminal }) =>
    table(
      ['Group ID', 'Creation Date'],
      results.map(g => [g.id, formatDate(g.creation_date)]),
      terminal,
    ),
});
