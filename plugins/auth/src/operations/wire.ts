/** Groups, policies and credentials as they travel. Field names are a contract with existing clients. */
import { list, mapOf, oneOf, optional, record, seconds, text } from '@srv/lib-api';
import type { Out } from '@srv/lib-api';

export const group = record({ id: text(), name: optional(text()), description: optional(text()), creation_date: seconds });

export const credential = record({ access_key_id: text(), creation_date: seconds });

export const credentialWithSecret = record({ access_key_id: text(), secret_access_key: text(), creation_date: seconds });

export const statement = record({
  effect: oneOf('allow', 'deny'),
  resource: text(),
  action: list(text(), { min: 1 }),
  condition: optional(mapOf(mapOf(list(text())))),
});

export const policy = record({ id: text(), creation_date: optional(seconds), statement: list(statement, { min: 1 }) });

export type WireGroup = Out<typeof group>;
export type WirePolicy = Out<typeof policy>;
export type WireCredential = Out<typeof credential>;
export type WireCredentialWithSecret = Out<typeof credentialWithSecret>;
