/** A user as the API shows one. */
import { toSeconds } from './time.js';
import type { User } from '@srv/kernel';
import type { WireUser } from './schema/shapes.js';

/** Whether a user is active is said of those that an identity provider manages. */
export function presentUser({ username, createdAt, friendlyName, email, externalId = '', inactive }: User): WireUser {
  const isManaged = externalId !== '' || inactive === true;
  return {
    id: username,
    creation_date: toSeconds(createdAt),
    friendly_name: friendlyName,
    email,
    external_id: externalId || undefined,
    active: isManaged ? inactive !== true : undefined,
  };
}
