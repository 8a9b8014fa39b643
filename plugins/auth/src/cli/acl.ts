import { defineCommand } from '@srv/lib-commands';
import { given, groupIdOption } from './options.js';

export const authGroupsAclGet = defineCommand({
  name: 'auth groups acl get',
  summary: 'Show the permission of a group',
  examples: ['cli auth groups acl get --id Readers'],
  options: [groupIdOption],
  async run(context, input) {
    const id = given(input, 'id');
    const { permission } = await (await context.client()).getGroupACL({ groupId: id });
    return { id, permission };
  },
  render: ({ id, permission }) => `Group ${id}:${permission}`,
});

export const authGroupsAclSet = defineCommand({
  name: 'auth groups acl set',
  summary: 'Set the permission of a group, on all repositories',
  examples: ['cli auth groups acl set --id Reviewers --permission Write'],
  options: [
    groupIdOption,
    { name: 'permission', type: 'string', required: true, description: 'permission, typically one of "Read", "Write", "Super" or "Admin"' },
  ],
  async run(context, input) {
    const api = await context.client();
    await api.setGroupACL({ groupId: given(input, 'id'), body: { permission: given(input, 'permission') } });
  },
});
