/** Policies, and those of users. */
import { SrvError } from '@srv/kernel';
import { decodePolicy, encodePolicy, readWire, wirePolicy } from '@srv/lib-authorization';
import { given, pageRequest, present } from './pages.js';
import type { EndpointParts } from './routes.js';
import type { Endpoint } from './routes.js';

export function policyEndpoints({ auth }: EndpointParts): Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/auth/policies',
      status: 200,
      handle: async request => present(await auth.listPolicies(pageRequest(request)), encodePolicy),
    },
    {
      method: 'POST',
      path: '/auth/policies',
      status: 201,
      async handle({ body }) {
        const { id, statement, acl } = decodePolicy(readWire(wirePolicy, body, 'policy'));
        return encodePolicy(await auth.createPolicy(id, statement, acl));
      },
    },
    {
      method: 'GET',
      path: '/auth/policies/{policy}',
      status: 200,
      handle: async request => encodePolicy(await auth.getPolicy(given(request, 'policy'))),
    },
    {
      method: 'PUT',
      path: '/auth/policies/{policy}',
      status: 200,
      async handle(request) {
        const { id, statement, acl } = decodePolicy(readWire(wirePolicy, request.body, 'policy'));
        if (id !== given(request, 'policy')) throw new SrvError('invalid', "can't update policy id");
        return encodePolicy(await auth.updatePolicy(id, statement, acl));
      },
    },
    {
      method: 'DELETE',
      path: '/auth/policies/{policy}',
      status: 204,
      handle: request => auth.deletePolicy(given(request, 'policy')),
    },
    {
      method: 'GET',
      path: '/auth/users/{user}/policies',
      status: 200,
      async handle(request) {
        const effective = ['true', '1', 't'].includes(request.query['effective'] ?? '');
        return present(await auth.listUserPolicies(given(request, 'user'), { ...pageRequest(request), effective }), encodePolicy);
      },
    },
    {
      method: 'PUT',
      path: '/auth/users/{user}/policies/{policy}',
      status: 201,
      handle: request => auth.attachToUser(given(request, 'user'), given(request, 'policy')),
    },
    {
      method: 'DELETE',
      path: '/auth/users/{user}/policies/{policy}',
      status: 204,
      handle: request => auth.detachFromUser(given(request, 'user'), given(request, 'policy')),
    },
  ];
}
