/** Names with a meaning of their own in a linked directory: neither uploaded nor downloaded. */
import { createHash, randomBytes } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isAlive } from '@srv/lib-records/is-alive';
import { foreignAgeMs, processNamespace } from '@srv/lib-records/owned-folder';

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
/** Names given by earlier versions do not say on which host their process runs. */
const temporaryName = /^\.srv_ref\.(?<pid>\d{1,10})-(?:(?<host>[0-9a-f]{8})-)?[0-9a-f]{8}\.part$/;

/** @param name last part of a path. */
export function isIgnored(name: string): boolean {
  return ignoredNames.has(name) || temporaryName.test(name);
}

/** Whether an object is ignored because of the last segment of its path. @param path with a trailing `/` for folders. */
export function isIgnoredPath(path: string): boolean {
  return isIgnored(path.slice(path.lastIndexOf('/', path.length - 2) + 1).replace(/\/$/, ''));
}

let hostMark: string | undefined;

/** Stands for where numbers of processes have the same meaning: a host, or one of its containers. */
function thisHost(): string {
  hostMark ??= createHash('sha256')
    .update(JSON.stringify([hostname(), processNamespace()]))
    .digest('hex')
    .slice(0, 8);
  return hostMark;
}

/** A file beside `path` to be renamed to it; it bears the process that writes it and its host, so that others know when it is abandoned. */
export function temporaryFor(path: string): string {
  return join(dirname(path), `.srv_ref.${process.pid}-${thisHost()}-${randomBytes(4).toString('hex')}.part`);
}

/**
 * Whether a file is the temporary file of a process that has ended. Processes of other hosts cannot be seen: what they have
 * not changed for a day is abandoned.
 * @param now Unix milliseconds.
 */
export async function isAbandoned(path: string, now = Date.now()): Promise<boolean> {
  const { pid, host } = temporaryName.exec(basename(path))?.groups ?? {};
  if (pid === undefined) return false;
  if (host === thisHost()) return !isAlive(Number(pid));
  // Downloads set the other time to that of the object.
  const changedMs = await lstat(path).then(
    facts => facts.ctimeMs,
    () => now,
  );
  return now - changedMs > foreignAgeMs;
}
