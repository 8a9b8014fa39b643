/** Names of users, groups and policies. */
import { SrvError } from '@srv/kernel';

/** Bytes of a name that is made here: it has to fit into the keys of every kind of database, and into a path. */
const maxBytes = 512;

/** @throws SrvError `invalid`. */
export function checkNewName(kind: string, name: string): void {
  // It breaks clients that put names into paths. The text is one they compare.
  if (name.includes('%')) throw new SrvError('invalid', `${kind} name cannot contain '%'`);
  if (/\p{Cc}/u.test(name)) throw new SrvError('invalid', `${kind} name ${JSON.stringify(name)} cannot contain control characters`);
  if (Buffer.byteLength(name) > maxBytes)
    throw new SrvError(
      'invalid',
      `${kind} name ${JSON.stringify(name.slice(0, 50))}… has ${Buffer.byteLength(name)} bytes, allowed: ${maxBytes}`,
    );
}
