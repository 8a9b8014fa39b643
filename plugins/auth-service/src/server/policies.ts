/** Policies, and those of users. */
import { SrvError } from '@srv/kernel';
import { decodePolicy, encodePolicy, readWire, wirePolicy } from '@srv/lib-auth/authorization';
import { creates, given, reads, relates, removes } from './endpoint.js';
import { pageRequest, present } from './pages.js';
import type { Endpoint, EndpointParts } from './endpoint.js';

export function policyEndpoints({ auth }: EndpointParts): Endpoint[] {
  return [
    reads('/auth/policies', async request => present(await auth.listPolicies(pageRequest(request)), encodePolicy)),
    creates('/auth/policies', async ({ body }) => {
      const { id, statement, acl } = decodePolicy(readWire(wirePolicy, body, 'policy'));
      return encodePolicy(await auth.createPolicy(id, statement, acl));
    }),
    reads('/auth/policies/{policy}', async request => encodePolicy(await auth.getPolicy(given(request, 'policy')))),
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
    removes('/auth/policies/{policy}', request => auth.deletePolicy(given(request, 'policy'))),
    reads('/auth/users/{user}/policies', async request => {
      const effective = ['true', '1', 't'].includes(request.query['effective'] ?? '');
      return present(await auth.listUserPolicies(given(request, 'user'), { ...pageRequest(request), effective }), encodePolicy);
    }),
    ...relates(
      '/auth/users/{user}/policies/{policy}',
      (user, policy) => auth.attachToUser(user, policy),
      (user, policy) => auth.detachFromUser(user, policy),
    ),
  ];
}
