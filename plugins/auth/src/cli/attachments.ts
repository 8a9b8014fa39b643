/** Policies attached to users and to groups. */
import { defineCommand, listed, paginationOptions, table } from '@srv/lib-commands';
import { given, groupIdOption, policyOption, userIdOption } from './options.js';
import { policyColumns, policyRows } from './policies.js';
import type { Client } from '@srv/lib-api/client';
import type { Command } from '@srv/lib-commands';

/** Does one of the four changes. */
type Change = (api: Client, id: string, policyId: string) => Promise<unknown>;

function changeCommand(holder: 'users' | 'groups', word: 'attach' | 'detach', change: Change): Command {
  const [noun, example] = holder === 'users' ? ['user', 'bob'] : ['group', 'Reviewers'];
  const [verb, side] = word === 'attach' ? ['Attach', 'to'] : ['Detach', 'from'];
  return defineCommand({
    name: `auth ${holder} policies ${word}`,
    summary: `${verb} a policy ${side} a ${noun}`,
    examples: [`cli auth ${holder} policies ${word} --id ${example} --policy ${word === 'attach' ? 'FSReadAll' : 'FSReadWriteAll'}`],
    options: [holder === 'users' ? userIdOption : groupIdOption, policyOption],
    async run(context, input) {
      const [id, policy] = [given(input, 'id'), given(input, 'policy')];
      await change(await context.client(), id, policy);
      return { id: policy, [noun]: id };
    },
    render: () => `Policy ${word}ed successfully.`,
  });
}

export const authUsersPoliciesAttach = changeCommand('users', 'attach', (api, userId, policyId) =>
  api.attachPolicyToUser({ userId, policyId }),
);
export const authUsersPoliciesDetach = changeCommand('users', 'detach', (api, userId, policyId) =>
  api.detachPolicyFromUser({ userId, policyId }),
);
export const authGroupsPoliciesAttach = changeCommand('groups', 'attach', (api, groupId, policyId) =>
  api.attachPolicyToGroup({ groupId, policyId }),
);
export const authGroupsPoliciesDetach = changeCommand('groups', 'detach', (api, groupId, policyId) =>
  api.detachPolicyFromGroup({ groupId, policyId }),
);

export const authUsersPoliciesList = defineCommand({
  name: 'auth users policies list',
  summary: 'List the policies of a user',
  examples: ['cli auth users policies list --id bob', 'cli auth users policies list --id eve --effective'],
  options: [
    userIdOption,
    { name: 'effective', type: 'bool', default: false, description: 'also list policies the user has through its groups' },
    ...paginationOptions,
  ],
  async run(context, input) {
    const api = await context.client();
    const asked = { userId: given(input, 'id'), effective: input.options.effective === true };
    return listed(context, input, query => api.listUserPolicies({ ...asked, ...query }));
  },
  render: ({ results }, { terminal }) => table(policyColumns, policyRows(results), terminal),
});

export const authGroupsPoliciesList = defineCommand({
  name: 'auth groups policies list',
  summary: 'List the policies of a group',
  examples: ['cli auth groups policies list --id Reviewers'],
  options: [groupIdOption, ...paginationOptions],
  async run(context, input) {
    const api = await context.client();
    return listed(context, input, query => api.listGroupPolicies({ groupId: given(input, 'id'), ...query }));
  },
  render: ({ results }, { terminal }) => table(policyColumns, policyRows(results), terminal),
});
