/** Locks (RFC 4918, sections 6 and 7). */
import { escapeXml } from '@srv/lib-api/http';
import { hrefOf } from '../target.js';
import { dav, href } from '../xml/write.js';

export interface Lock {
  /** A URI. */
  readonly token: string;
  /** Of what was locked, without slash at its end; empty: the top of the branch. */
  readonly path: string;
  readonly depth: '0' | 'infinity';
  readonly scope: 'exclusive' | 'shared';
  /** Content of the element `owner`, as the client sent it. */
  readonly owner: string;
  /** Only this user may use the token. */
  readonly user: string;
  /** Seconds for which it was granted. */
  readonly timeout: number;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** Seconds. */
const longestTimeout = 3600;
const defaultTimeout = 600;

/** The first timeout of the header that is understood, in seconds. `Infinite` gets the default: clients refresh. */
export function parseTimeout(header: string | undefined): number {
  for (const word of (header ?? '').split(',')) {
    const seconds = /^second-(\d{1,10})$/i.exec(word.trim())?.[1];
    if (seconds !== undefined) return Math.min(longestTimeout, Math.max(1, Number(seconds)));
  }
  return defaultTimeout;
}

/** Whether `path` is what the lock was taken on, or below it where it extends to that. */
export function covers(lock: Lock, path: string): boolean {
  return lock.path === path || (lock.depth === 'infinity' && isBelow(path, lock.path));
}

export function isBelow(path: string, folder: string): boolean {
  return path !== folder && (folder === '' || path.startsWith(`${folder}/`));
}

/** The first lock that a new one contradicts. */
export function conflicting(locks: readonly Lock[], wanted: Pick<Lock, 'path' | 'depth' | 'scope'>): Lock | undefined {
  return locks.find(
    lock =>
      (lock.scope === 'exclusive' || wanted.scope === 'exclusive') &&
      (covers(lock, wanted.path) || (wanted.depth === 'infinity' && isBelow(lock.path, wanted.path))),
  );
}

/** The property `lockdiscovery`. @param locks of one branch that cover the resource. */
export function lockDiscovery(repository: string, branch: string, locks: readonly Lock[]): string {
  return locks.map(lock => activeLock(lock, lockRoot(repository, branch, lock))).join('');
}

export function lockRoot(repository: string, branch: string, { path }: Lock): string {
  return path === '' ? `${hrefOf(repository, branch)}/` : hrefOf(repository, branch, path);
}

function activeLock({ token, depth, scope, owner, timeout }: Lock, root: string): string {
  return dav(
    'activelock',
    [
      dav('locktype', dav('write')),
      dav('lockscope', dav(scope)),
      dav('depth', depth),
      owner === '' ? '' : dav('owner', owner),
      dav('timeout', `Second-${timeout}`),
      dav('locktoken', dav('href', escapeXml(token))),
      dav('lockroot', href(root)),
    ].join(''),
  );
}

/** The property `supportedlock`. */
export const supportedLock = ['exclusive', 'shared']
  .map(scope => dav('lockentry', dav('lockscope', dav(scope)) + dav('locktype', dav('write'))))
  .join('');
