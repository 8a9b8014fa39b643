/** Which names are allowed (versioning rules, section 4.1). Each check throws `invalid` and names the argument. */
import { SrvError } from '@srv/kernel';

/** UTF-8 bytes of an object path or listing prefix. */
const maxPathBytes = 1024;

export function checkRepositoryId(id: string, argument = 'repository'): void {
  if (!/^[a-z0-9][a-z0-9-]{2,62}$/.test(id))
    throw invalid(argument, 'repository id', id, 'must be 3 to 63 lower-case letters, digits and dashes and not start with a dash');
}

export function checkBranchId(id: string, argument = 'branch'): void {
  if (!/^\w[-\w]*$/.test(id))
    throw invalid(
      argument,
      'branch id',
      id,
      'branch id must consist of letters, digits, underscores and dashes, and cannot start with a dash',
    );
}

export function checkTagId(id: string, argument = 'tagID'): void {
  const allowed = id !== '' && id !== '@' && !/(\.|\.lock)$/.test(id) && !/\.\.|\/|@\{|[\^:?*[\\]/.test(id) && ![...id].some(c => c <= ' ');
  if (!allowed)
    throw invalid(
      argument,
      'tag id',
      id,
      'must not be empty, contain spaces, "/", "..", "@{" or any of ^ : ? * [ \\, nor end with "." or ".lock"',
    );
}

/** A name for a new tag. Tags that other programs have made may have further characters, and can be deleted. */
export function checkNewTagId(id: string, argument = 'tagID'): void {
  checkTagId(id, argument);
  if (/[~@$^]/.test(id))
    throw invalid(
      argument,
      'tag id',
      id,
      'must not contain any of ~ @ $ ^: a ref with them is an expression, so the tag could never be read',
    );
}

export function checkRef(ref: string, argument = 'ref'): void {
  if (ref === '' || /[\t\n\f\r ]/.test(ref)) throw invalid(argument, 'ref', ref, 'must not be empty nor contain white space');
}

/** Whether no half of a pair of UTF-16 stands alone: written as UTF-8, all of those would be the same character. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** Bytes of a path of 1 to 1024 bytes. */
export function pathKey(path: string): Buffer {
  if (path === '') throw new SrvError('invalid', 'missing path: argument path: required value');
  const key = Buffer.from(path, 'utf8');
  if (key.length > path.length && !isWellFormed(path))
    throw new SrvError('invalid', `argument path: invalid value: ${JSON.stringify(path.slice(0, maxPathBytes))} holds half of a character`);
  if (key.length > maxPathBytes)
    throw new SrvError('invalid', `argument path: invalid value: it has ${key.length} bytes, at most ${maxPathBytes} are allowed`);
  return key;
}

export function checkPrefix(prefix: string, argument: string): void {
  const { length } = Buffer.from(prefix, 'utf8');
  if (length > maxPathBytes)
    throw new SrvError('invalid', `argument ${argument}: invalid value: it has ${length} bytes, at most ${maxPathBytes} are allowed`);
}

function invalid(argument: string, what: string, value: string, rule: string): SrvError {
  const problem = value === '' ? 'required value' : 'invalid value: validation error';
  return new SrvError('invalid', `argument ${argument}: ${what}: ${problem}: ${JSON.stringify(value)} ${rule}`);
}
