/** Which names of users, groups and policies can be made. Existing ones of any form can be read and deleted. */
import { SrvError } from '@srv/kernel';
import { isWellFormed } from '@srv/lib-records';

/** Bytes of a name that is made here: it has to fit into the keys of every kind of database, and into a path. */
const maxBytes = 512;

/**
 * @param kind for the message, such as `User`.
 * @throws SrvError `invalid` for a name with `%`, control characters or half of a character, for `.` and `..`, and above 512 bytes.
 */
export function checkNewName(kind: string, name: string): void {
  // It breaks clients that put names into paths. The text is one they compare.
  if (name.includes('%')) throw new SrvError('invalid', `${kind} name cannot contain '%'`);
  // Clients take such a part of a path away before they send it: nothing of that name could be read or deleted.
  if (name === '.' || name === '..') throw new SrvError('invalid', `${kind} name ${JSON.stringify(name)}: choose one that is not . or ..`);
  checkLength(`${kind} name`, name);
  if (/\p{Cc}/u.test(name)) throw new SrvError('invalid', `${kind} name ${JSON.stringify(name)} cannot contain control characters`);
  if (!isWellFormed(name)) throw new SrvError('invalid', `${kind} name ${JSON.stringify(name)} holds half of a character`);
}

/** For text that is part of a key. @param what for the message, such as `external ID`. @throws SrvError `invalid` above 512 bytes. */
export function checkLength(what: string, text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes)
    throw new SrvError('invalid', `${what} ${JSON.stringify(text.slice(0, 50))}… has ${bytes} bytes, allowed: ${maxBytes}`);
}
