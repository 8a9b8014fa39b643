/** Principals of other services that belong to users. */
import { SrvError } from '@srv/kernel';
import { creates, given, reads, removes } from './endpoint.js';
import { pageRequest, present } from './pages.js';
import type { ExternalPrincipal } from '@srv/auth/contract';
import type { Endpoint, EndpointParts, EndpointRequest } from './endpoint.js';

const encode = ({ id, username }: ExternalPrincipal) => ({ id, user_id: username });

export function principalEndpoints({ accounts }: EndpointParts): Endpoint[] {
  const path = '/auth/users/{user}/external/principals';
  return [
    creates(path, request => accounts.createPrincipal(given(request, 'user'), principal(request))),
    removes(path, request => accounts.deletePrincipal(given(request, 'user'), principal(request))),
    reads(`${path}/ls`, async request => present(await accounts.listPrincipals(given(request, 'user'), pageRequest(request)), encode)),
    reads('/auth/external/principals', async request => {
      const found = await accounts.findPrincipal(principal(request));
      if (!found) throw new SrvError('not_found', 'external principal not found');
      return encode(found);
    }),
  ];
}

function principal({ query: { principalId } }: EndpointRequest): string {
  if (!principalId) throw new SrvError('invalid', 'principalId: must not be empty');
  return principalId;
}
