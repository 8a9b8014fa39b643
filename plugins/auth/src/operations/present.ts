/** Groups, credentials and policies as the API shows them. */
import { toSeconds } from '@srv/lib-api';
import type { Credential, CredentialWithSecret, Group, Policy } from '../contract.js';
import type { WireCredential, WireCredentialWithSecret, WireGroup, WirePolicy } from './wire.js';

export function presentGroup({ id, description, createdAt }: Group): WireGroup {
  return { id, name: id, creation_date: toSeconds(createdAt), description };
}

/** Statements go out as they came in: clients compare them. */
export function presentPolicy({ id, createdAt, statement }: Policy): WirePolicy {
  return { id, creation_date: toSeconds(createdAt), statement };
}

export function presentCredential({ accessKeyId, createdAt }: Credential): WireCredential {
  return { access_key_id: accessKeyId, creation_date: toSeconds(createdAt) };
}

/** The only place where a secret leaves the server. */
export function presentNewCredential({ secretAccessKey, ...credential }: CredentialWithSecret): WireCredentialWithSecret {
  return { ...presentCredential(credential), secret_access_key: secretAccessKey };
}
