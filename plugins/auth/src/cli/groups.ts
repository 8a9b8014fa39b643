import { defineCommand, formatDate, listed, paginationOptions, table } from '@srv/lib-commands';
import { createdBlock, given, groupIdOption, memberOption } from './options.js';

export const authGroupsCreate = defineCommand({
  name: 'auth groups create',
  summary: 'Create a group',
  examples: ['cli auth groups create --id Painters'],
  options: [groupIdOption],
  run: async (context, input) => (await context.client()).createGroup({ body: { id: given(input, 'id') } }),
  render: (group, context) => createdBlock('Group', group, context),
});

export const authGroupsDelete = defineCommand({
  name: 'auth groups delete',
  summary: 'Delete a group; its members stay',
  examples: ['cli auth groups delete --id Reviewers'],
  options: [groupIdOption],
  async run(context, input) {
    const id = given(input, 'id');
    await (await context.client()).deleteGroup({ groupId: id });
    return { id };
  },
  render: () => 'Group deleted successfully.',
});

export const authGroupsList = defineCommand({
  name: 'auth groups list',
  summary: 'List groups',
  examples: ['cli auth groups list'],
  options: paginationOptions,
  async run(context, input) {
    const api = await context.client();
    return listed(context, input, query => api.listGroups(query));
  },
  render: ({ results }, { terminal }) =>
    table(
      ['ID', 'Group Name', 'Creation Date'],
      results.map(g => [g.id, g.name || g.id, formatDate(g.creation_date)]),
      terminal,
    ),
});

export const authGroupsMembersAdd = defineCommand({
  name: 'auth groups members add',
  summary: 'Add a user to a group',
  examples: ['cli auth groups members add --id Reviewers --user bob'],
  options: [groupIdOption, memberOption],
  async run(context, input) {
    const api = await context.client();
    await api.addGroupMembership({ groupId: given(input, 'id'), userId: given(input, 'user') });
    return { id: given(input, 'user'), group: given(input, 'id') };
  },
  render: () => 'User successfully added.',
});

export const authGroupsMembersRemove = defineCommand({
  name: 'auth groups members remove',
  summary: 'Remove a user from a group',
  examples: ['cli auth groups members remove --id Reviewers --user eve'],
  options: [groupIdOption, memberOption],
  async run(context, input) {
    const api = await context.client();
    await api.deleteGroupMembership({ groupId: given(input, 'id'), userId: given(input, 'user') });
    return { id: given(input, 'user'), group: given(input, 'id') };
  },
  render: () => 'User successfully removed.',
});

export const authGroupsMembersList = defineCommand({
  name: 'auth groups members list',
  summary: 'List the users in a group',
  examples: ['cli auth groups members list --id Reviewers'],
  options: [groupIdOption, ...paginationOptions],
  async run(context, input) {
    const api = await context.client();
    return listed(context, input, query => api.listGroupMembers({ groupId: given(input, 'id'), ...query }));
  },
  render: ({ results }, { terminal }) =>
    table(
      ['User ID'],
      results.map(u => [u.id]),
      terminal,
    ),
});
