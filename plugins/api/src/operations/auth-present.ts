/** Users, groups, credentials and policies as the API shows them. */
import { toSeconds } from '../present.js';
import type { User } from '@srv/kernel';
import type { Credential, CredentialWithSecret, Group, Policy } from '@srv/auth/contract';
import type * as wire from '../schema/wire.js';

export function presentUser({ username, createdAt, friendlyName, email }: User): wire.User {
  return {
    id: username,
    creation_date: toSeconds(createdAt),
    ...(friendlyName === undefined ? {} : { friendly_name: friendlyName }),
    ...(email === undefined ? {} : { email }),
  };
}

export function presentGroup({ id, description, createdAt }: Group): wire.Group {
  return { id, name: id, creation_date: toSeconds(createdAt), ...(description === undefined ? {} : { description }) };
}

/** Statements go out as they came in: clients compare them. */
export function presentPolicy({ id, createdAt, statement }: Policy): wire.Policy {
  return { id, creation_date: toSeconds(createdAt), statement };
}

export function presentCredential({ accessKeyId, createdAt }: Credential): wire.Credential {
  return { access_key_id: accessKeyId, creation_date: toSeconds(createdAt) };
}

/** The only place where a secret leaves the server. */
export function presentNewCredential({ secretAccessKey, ...credential }: CredentialWithSecret): wire.CredentialWithSecret {
  return { ...presentCredential(credential), secret_access_key: secretAccessKey };
}
