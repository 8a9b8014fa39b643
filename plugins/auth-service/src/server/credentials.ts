/** Access keys. One call answers with the secret: signatures cannot be checked without it. */
import { SrvError } from '@srv/kernel';
import { encodeKey, secondsOf } from '@srv/lib-auth/authorization';
import { creates, given, reads, removes } from './endpoint.js';
import { pageRequest, present } from './pages.js';
import type { Credential } from '@srv/auth/contract';
import type { Endpoint, EndpointParts } from './endpoint.js';

const encode = ({ accessKeyId, createdAt }: Credential) => ({ access_key_id: accessKeyId, creation_date: secondsOf(createdAt) });

export function credentialEndpoints({ auth, accounts }: EndpointParts): Endpoint[] {
  return [
    reads('/auth/users/{user}/credentials', async request =>
      present(await auth.listCredentials(given(request, 'user'), pageRequest(request)), encode),
    ),
    creates('/auth/users/{user}/credentials', async request => {
      const { access_key: accessKeyId, secret_key: secretAccessKey } = request.query;
      if (!accessKeyId !== !secretAccessKey) throw new SrvError('invalid', 'access_key and secret_key belong together: give both or none');
      const key = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined;
      const username = given(request, 'user');
      const created = await auth.createCredential(username, key);
      return encodeKey({ ...created, username }, created.createdAt);
    }),
    reads('/auth/users/{user}/credentials/{key}', async request =>
      encode(await auth.getCredential(given(request, 'user'), given(request, 'key'))),
    ),
    removes('/auth/users/{user}/credentials/{key}', request => auth.deleteCredential(given(request, 'user'), given(request, 'key'))),
    reads('/auth/credentials/{key}', async request => {
      const found = await accounts.revealKey(given(request, 'key'));
      // Clients check signatures with it, and not all of them know of deactivated users.
      const owner = found && (await accounts.findAccount(found.username));
      if (!owner || owner.inactive) throw new SrvError('not_found', 'credentials not found');
      const { createdAt } = await auth.getCredential(found.username, found.accessKeyId);
      return encodeKey(found, createdAt);
    }),
  ];
}
