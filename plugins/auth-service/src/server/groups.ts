/** Groups, their members and their policies. */
import Joi from 'joi';
import { encodeGroup, encodePolicy, encodeUser, readWire } from '@srv/lib-authorization';
import type { User } from '@srv/kernel';
import { given, pageRequest, present } from './pages.js';
import type { EndpointParts } from './routes.js';
import type { Endpoint } from './routes.js';

const newGroup = Joi.object<{ id: string; description?: string }>({
  id: Joi.string().required(),
  description: Joi.string().allow('', null).empty(null),
})
  .unknown(true)
  .required();
const bare = (user: User) => encodeUser({ ...user, source: '', externalId: '', encryptedPassword: '' });

export function groupEndpoints({ auth }: EndpointParts): Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/auth/groups',
      status: 200,
      handle: async request => present(await auth.listGroups(pageRequest(request)), encodeGroup),
    },
    {
      method: 'POST',
      path: '/auth/groups',
      status: 201,
      async handle({ body }) {
        const { id, description } = readWire(newGroup, body, 'group');
        return encodeGroup(await auth.createGroup(id, description));
      },
    },
    {
      method: 'GET',
      path: '/auth/groups/{group}',
      status: 200,
      handle: async request => encodeGroup(await auth.getGroup(given(request, 'group'))),
    },
    {
      method: 'DELETE',
      path: '/auth/groups/{group}',
      status: 204,
      handle: request => auth.deleteGroup(given(request, 'group')),
    },
    {
      method: 'GET',
      path: '/auth/groups/{group}/members',
      status: 200,
      handle: async request => present(await auth.listMembers(given(request, 'group'), pageRequest(request)), bare),
    },
    {
      method: 'PUT',
      path: '/auth/groups/{group}/members/{user}',
      status: 201,
      handle: request => auth.addMember(given(request, 'group'), given(request, 'user')),
    },
    {
      method: 'DELETE',
      path: '/auth/groups/{group}/members/{user}',
      status: 204,
      handle: request => auth.removeMember(given(request, 'group'), given(request, 'user')),
    },
    {
      method: 'GET',
      path: '/auth/groups/{group}/policies',
      status: 200,
      handle: async request => present(await auth.listGroupPolicies(given(request, 'group'), pageRequest(request)), encodePolicy),
    },
    {
      method: 'PUT',
      path: '/auth/groups/{group}/policies/{policy}',
      status: 201,
      handle: request => auth.attachToGroup(given(request, 'group'), given(request, 'policy')),
    },
    {
      method: 'DELETE',
      path: '/auth/groups/{group}/policies/{policy}',
      status: 204,
      handle: request => auth.detachFromGroup(given(request, 'group'), given(request, 'policy')),
    },
    {
      method: 'GET',
      path: '/auth/users/{user}/groups',
      status: 200,
      handle: async request => present(await auth.listUserGroups(given(request, 'user'), pageRequest(request)), encodeGroup),
    },
  ];
}
