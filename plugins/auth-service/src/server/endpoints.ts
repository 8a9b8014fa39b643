/** The calls of the service, each over the directory of this server. */

import { credentialEndpoints } from './credentials.js';
import { reads } from './endpoint.js';
import { groupEndpoints } from './groups.js';
import { policyEndpoints } from './policies.js';
import { principalEndpoints } from './principals.js';
import { userEndpoints } from './users.js';
import type { Endpoint, EndpointParts } from './endpoint.js';

export function endpoints(parts: EndpointParts): Endpoint[] {
  return [
    { method: 'GET', path: '/healthcheck', status: 204, open: true, handle: async () => undefined },
    reads('/config/version', async () => ({ version: 'srv' })),
    ...userEndpoints(parts),
    ...groupEndpoints(parts),
    ...policyEndpoints(parts),
    ...credentialEndpoints(parts),
    ...principalEndpoints(parts),
  ];
}
