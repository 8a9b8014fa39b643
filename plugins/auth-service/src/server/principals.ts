/** Principals of other services that stand for users. */
import { SrvError } from '@srv/kernel';
import type { ExternalPrincipal } from '@srv/auth/contract';
import { given, pageRequest, present } from './pages.js';
import type { EndpointParts } from './routes.js';
import type { Endpoint, EndpointRequest } from './routes.js';

const encode = ({ id, username }: ExternalPrincipal) => ({ id, user_id: username });

export function principalEndpoints({ accounts }: EndpointParts): Endpoint[] {
  return [
    {
      method: 'POST',
      path: '/auth/users/{user}/external/principals',
      status: 201,
      handle: request => accounts.createPrincipal(given(request, 'user'), principal(request)),
    },
    {
      method: 'DELETE',
      path: '/auth/users/{user}/external/principals',
      status: 204,
      handle: request => accounts.deletePrincipal(given(request, 'user'), principal(request)),
    },
    {
      method: 'GET',
      path: '/auth/users/{user}/external/principals/ls',
      status: 200,
      handle: async request => present(await accounts.listPrincipals(given(request, 'user'), pageRequest(request)), encode),
    },
    {
      method: 'GET',
      path: '/auth/external/principals',
      status: 200,
      async handle(request) {
        const found = await accounts.findPrincipal(principal(request));
        if (!found) throw new SrvError('not_found', 'external principal not found');
        return encode(found);
      },
    },
  ];
}

function principal({ query: { principalId } }: EndpointRequest): string {
  if (!principalId) throw new SrvError('invalid', 'principalId: must not be empty');
  return principalId;
}
