/** The commands of `auth`. */
import { definePlugin } from '@srv/kernel';
import * as acl from './acl.js';
import * as attachments from './attachments.js';
import { authCan } from './can.js';
import * as credentials from './credentials.js';
import * as groups from './groups.js';
import * as policies from './policies.js';
import { authPoliciesTemplate } from './policy-template.js';
import * as users from './users.js';
import type { Command } from '@srv/lib-commands';

export const authCommands: readonly Command[] = [
  authCan,
  groups.authGroupsCreate,
  groups.authGroupsDelete,
  groups.authGroupsList,
  acl.authGroupsAclGet,
  acl.authGroupsAclSet,
  groups.authGroupsMembersAdd,
  groups.authGroupsMembersRemove,
  groups.authGroupsMembersList,
  attachments.authGroupsPoliciesAttach,
  attachments.authGroupsPoliciesDetach,
  attachments.authGroupsPoliciesList,
  policies.authPoliciesCreate,
  policies.authPoliciesDelete,
  policies.authPoliciesShow,
  policies.authPoliciesList,
  authPoliciesTemplate,
  users.authUsersCreate,
  users.authUsersDelete,
  users.authUsersList,
  users.authUsersSessionsRevoke,
  credentials.authUsersCredentialsCreate,
  credentials.authUsersCredentialsDelete,
  credentials.authUsersCredentialsList,
  users.authUsersGroupsList,
  attachments.authUsersPoliciesAttach,
  attachments.authUsersPoliciesDetach,
  attachments.authUsersPoliciesList,
];

export default definePlugin({
  name: 'auth',
  apply({ hooks }) {
    hooks.commands.tap('auth', registry => {
      for (const command of authCommands) registry.add(command, 'auth');
    });
  },
});
