/** Whether a request may change what is locked, and whether its header `If` holds. */
import { quoteEtag } from '@srv/lib-api/http';
import { maySee } from '../context.js';
import { DavError } from '../errors.js';
import { parentOf, parseTarget } from '../target.js';
import { href } from '../xml/write.js';
import { holds, parseIf, submittedTokens, tagDemand } from './if-header.js';
import { covers, isBelow, lockRoot } from './lock.js';
import type { DavContext } from '../context.js';
import type { Target } from '../target.js';
import type { Tree } from '../tree.js';
import type { ResourceState } from './if-header.js';
import type { Lock } from './lock.js';

interface Change {
  readonly path: string;
  /** The resource appears or disappears: its folder changes, too. */
  readonly membership: boolean;
  /** Everything below it changes, too. */
  readonly deep: boolean;
}

/** @throws DavError 423 that names a lock of which the client does not show the token. */
export async function demandUnlocked(context: DavContext, { repository, ref }: Tree, { path, membership, deep }: Change): Promise<void> {
  const locks = await context.locks.list(repository, ref);
  if (locks.length === 0) return;
  const parent = parentOf(path);
  const affected = locks.filter(
    lock => covers(lock, path) || (deep && isBelow(lock.path, path)) || (membership && path !== '' && lock.path === parent),
  );
  const submitted = tokensOf(context);
  const mine = ({ token, user }: Lock): boolean => submitted.has(token) && user === context.face.user.username;
  for (const lock of affected) {
    if (affected.some(other => other.path === lock.path && mine(other))) continue;
    throw locked(lockRoot(repository.id, ref, lock));
  }
}

/** @param root of the lock. */
export function locked(root: string, condition = 'lock-token-submitted'): DavError {
  return new DavError(423, 'the resource is locked by another client', { condition, about: href(root) });
}

function tokensOf(context: DavContext): ReadonlySet<string> {
  const header = context.header('if');
  return header === undefined ? new Set() : submittedTokens(parseIf(header));
}

/** @throws DavError 412 when the header `If` does not hold, 400 when it cannot be read. */
export async function checkIfHeader(context: DavContext): Promise<void> {
  const header = context.header('if');
  if (header === undefined) return;
  const parsed = parseIf(header);
  if (!(await holds(parsed, resource => stateOf(context, resource))))
    throw new DavError(412, 'the condition of the header If does not hold');
}

/**
 * What the header `If` demands of the tag of a file that is to be changed or copied; lists about other resources, and locks, count as
 * they are now. @returns see {@link tagDemand}.
 */
export async function demandOnTag(context: DavContext, subject: Target): Promise<((etag: string | undefined) => boolean) | undefined> {
  const header = context.header('if');
  if (header === undefined) return undefined;
  const isSubject = (resource: string | undefined): boolean =>
    isSame(resource === undefined ? context.target : targetOf(resource), subject);
  return tagDemand(parseIf(header), isSubject, resource => stateOf(context, resource));
}

function isSame(one: Target | undefined, other: Target): boolean {
  return (
    one?.kind === 'resource' &&
    other.kind === 'resource' &&
    one.repository === other.repository &&
    one.ref === other.ref &&
    one.path === other.path
  );
}

const nothing: ResourceState = { tokens: [] };

/** What the caller may not see, and what is elsewhere, has no state. */
async function stateOf(context: DavContext, resource: string | undefined): Promise<ResourceState> {
  const target = resource === undefined ? context.target : targetOf(resource);
  if (target?.kind !== 'resource' || !(await context.face.may(maySee(target.repository, target.path)))) return nothing;
  const tree = await context.tree(target);
  const [file, locks] = await Promise.all([
    target.path === '' ? undefined : tree.findFile(target.path),
    context.locks.list(tree.repository, tree.ref),
  ]);
  return {
    tokens: locks.filter(lock => covers(lock, target.path)).map(({ token }) => token),
    etag: file && quoteEtag(file.etag),
  };
}

function targetOf(url: string): Target | undefined {
  try {
    return parseTarget(url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, ''));
  } catch {
    return undefined;
  }
}
