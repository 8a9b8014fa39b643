/** Groups, their members and their policies. */

import { encodeGroup, encodePolicy, encodeUser, readWire } from '@srv/lib-auth/authorization';
import Joi from 'joi';
import { creates, given, reads, relates, removes } from './endpoint.js';
import { pageRequest, present } from './pages.js';
import type { User } from '@srv/kernel';
import type { Endpoint, EndpointParts } from './endpoint.js';

const newGroup = Joi.object<{ id: string; description?: string }>({
  id: Joi.string().required(),
  description: Joi.string().allow('', null).empty(null),
})
  .unknown(true)
  .required();
const bare = (user: User) => encodeUser({ ...user, source: '', externalId: '', encryptedPassword: '' });

export function groupEndpoints({ auth }: EndpointParts): Endpoint[] {
  return [
    reads('/auth/groups', async request => present(await auth.listGroups(pageRequest(request)), encodeGroup)),
    creates('/auth/groups', async ({ body }) => {
      const { id, description } = readWire(newGroup, body, 'group');
      return encodeGroup(await auth.createGroup(id, description));
    }),
    reads('/auth/groups/{group}', async request => encodeGroup(await auth.getGroup(given(request, 'group')))),
    removes('/auth/groups/{group}', request => auth.deleteGroup(given(request, 'group'))),
    reads('/auth/groups/{group}/members', async request =>
      present(await auth.listMembers(given(request, 'group'), pageRequest(request)), bare),
    ),
    ...relates(
      '/auth/groups/{group}/members/{user}',
      (group, user) => auth.addMember(group, user),
      (group, user) => auth.removeMember(group, user),
    ),
    reads('/auth/groups/{group}/policies', async request =>
      present(await auth.listGroupPolicies(given(request, 'group'), pageRequest(request)), encodePolicy),
    ),
    ...relates(
      '/auth/groups/{group}/policies/{policy}',
      (group, policy) => auth.attachToGroup(group, policy),
      (group, policy) => auth.detachFromGroup(group, policy),
    ),
    reads('/auth/users/{user}/groups', async request =>
      present(await auth.listUserGroups(given(request, 'user'), pageRequest(request)), encodeGroup),
    ),
  ];
}
