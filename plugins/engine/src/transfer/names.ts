/** Names with a meaning of their own in a linked directory: neither uploaded nor downloaded. */
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { isGone, thisProcess } from './owner.js';

export const indexName = '.srv_ref.yaml';
/** Says which process works in the directory. */
export const lockName = '.srv_ref.lock';
/** There while a process takes over the lock of one that is gone. */
export const takeOverName = '.srv_ref.lock.takeover';
/** What is known of the contents of files. */
export const contentsName = '.srv_ref.contents';
/** Index file of other clients of this server; read and written when there is no {@link indexName}. */
export const foreignIndexName = '.lakefs_ref.yaml';

const ignoredNames: ReadonlySet<string> = new Set([indexName, foreignIndexName, lockName, takeOverName, contentsName, '.DS_Store']);
const temporaryName = /^\.srv_ref\.(\d{1,10})-[0-9a-f]{8}\.part$/;

/** @param name last part of a path. */
export function isIgnored(name: string): boolean {
  return ignoredNames.has(name) || temporaryName.test(name);
}

/** Whether an object is ignored because of the last segment of its path. @param path with a trailing `/` for folders. */
export function isIgnoredPath(path: string): boolean {
  return isIgnored(path.slice(path.lastIndexOf('/', path.length - 2) + 1).replace(/\/$/, ''));
}

/** A file beside `path` to be renamed to it; it bears the process that writes it, so that others know it is abandoned. */
export function temporaryFor(path: string): string {
  return join(dirname(path), `.srv_ref.${process.pid}-${randomBytes(4).toString('hex')}.part`);
}

/** Whether a temporary file belongs to a process that has ended. */
export function isAbandoned(name: string): boolean {
  const pid = temporaryName.exec(name)?.[1];
  if (pid === undefined) return false;
  return isGone({ ...thisProcess(), pid: Number(pid) });
}
