/** Access keys. One call answers with the secret: signatures cannot be checked without it. */
import { SrvError } from '@srv/kernel';
import { encodeKey, secondsOf } from '@srv/lib-authorization';
import type { Credential } from '@srv/auth/contract';
import { given, pageRequest, present } from './pages.js';
import type { EndpointParts } from './routes.js';
import type { Endpoint } from './routes.js';

const encode = ({ accessKeyId, createdAt }: Credential) => ({ access_key_id: accessKeyId, creation_date: secondsOf(createdAt) });

export function credentialEndpoints({ auth, accounts }: EndpointParts): Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/auth/users/{user}/credentials',
      status: 200,
      handle: async request => present(await auth.listCredentials(given(request, 'user'), pageRequest(request)), encode),
    },
    {
      method: 'POST',
      path: '/auth/users/{user}/credentials',
      status: 201,
      async handle(request) {
        const { access_key: accessKeyId, secret_key: secretAccessKey } = request.query;
        if (!accessKeyId !== !secretAccessKey)
          throw new SrvError('invalid', 'access_key and secret_key belong together: give both or none');
        const key = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined;
        const username = given(request, 'user');
        const created = await auth.createCredential(username, key);
        return encodeKey({ ...created, username }, created.createdAt);
      },
    },
    {
      method: 'GET',
      path: '/auth/users/{user}/credentials/{key}',
      status: 200,
      handle: async request => encode(await auth.getCredential(given(request, 'user'), given(request, 'key'))),
    },
    {
      method: 'DELETE',
      path: '/auth/users/{user}/credentials/{key}',
      status: 204,
      handle: request => auth.deleteCredential(given(request, 'user'), given(request, 'key')),
    },
    {
      method: 'GET',
      path: '/auth/credentials/{key}',
      status: 200,
      async handle(request) {
        const found = await accounts.revealKey(given(request, 'key'));
        if (!found) throw new SrvError('not_found', 'credentials not found');
        const { createdAt } = await auth.getCredential(found.username, found.accessKeyId);
        return encodeKey(found, createdAt);
      },
    },
  ];
}
