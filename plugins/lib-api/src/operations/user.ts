/** A user as the API shows one. */
import { toSeconds } from './time.js';
import type { User } from '@srv/kernel';
import type { WireUser } from './schema/shapes.js';

export function presentUser({ username, createdAt, friendlyName, email }: User): WireUser {
  return {
    id: username,
    creation_date: toSeconds(createdAt),
    ...(friendlyName === undefined ? {} : { friendly_name: friendlyName }),
    ...(email === undefined ? {} : { email }),
  };
}
