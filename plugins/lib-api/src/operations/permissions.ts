/** Resource names and permissions as policies spell them. */
import { SrvError } from '@srv/kernel';
import type { Decision, Permission } from '@srv/kernel';

export const everything = '*';
export const repositoryArn = (repository: string): string => `arn:lakefs:fs:::repository/${repository}`;
/** The path as it is, and no branch: rights on objects hold on every branch. */
export const objectArn = (repository: string, path: string): string => `${repositoryArn(repository)}/object/${path}`;
export const branchArn = (repository: string, branch: string): string => `${repositoryArn(repository)}/branch/${branch}`;
export const tagArn = (repository: string, tag: string): string => `${repositoryArn(repository)}/tag/${tag}`;
export const namespaceArn = (namespace: string): string => `arn:lakefs:fs:::namespace/${namespace}`;
export const userArn = (username: string): string => `arn:lakefs:auth:::user/${username}`;
export const groupArn = (group: string): string => `arn:lakefs:auth:::group/${group}`;
export const externalPrincipalArn = (id: string): string => `arn:lakefs:auth:::externalPrincipal/${id}`;
export const policyArn = (policy: string): string => `arn:lakefs:auth:::policy/${policy}`;

/** One action on one resource. */
export function may(action: string, resource: string): Permission {
  return { action, resource };
}

/** One action on every resource whose name begins with `prefix`. */
export function mayBelow(action: string, prefix: string): Permission {
  return { action, resource: prefix, everyBelow: true };
}

/** One action on any resource whose name begins with `prefix`. */
export function mayAnyBelow(action: string, prefix: string): Permission {
  return { action, resource: prefix, anyBelow: true };
}

/** The resource that a refusal is about, where its reason names one action and the permission has that on one resource. */
export function refusedResource(permission: Permission, reason: string): string | undefined {
  const [, refused] = /^insufficient permissions: (?:not allowed|denied permission) to (\S+)$/.exec(reason) ?? [];
  const resources = new Set(leavesOf(permission).flatMap(({ action, resource }) => (action === refused ? resource : [])));
  const [only] = resources;
  return resources.size === 1 ? only : undefined;
}

/** @throws SrvError `denied` that says what is missing and, where that is one resource, on which: all of them are named to the caller. */
export async function demand(decide: (permission: Permission) => Promise<Decision>, permission: Permission): Promise<void> {
  const { allowed, reason = 'insufficient permissions: not allowed' } = await decide(permission);
  if (allowed) return;
  const resource = refusedResource(permission, reason) ?? refusedResource(await refusedPart(permission, decide), reason);
  throw new SrvError('denied', resource === undefined ? reason : `${reason} on ${resource}`);
}

/** The first part that is refused, of those that are all needed. */
async function refusedPart(permission: Permission, decide: (part: Permission) => Promise<Decision>): Promise<Permission> {
  if (!('all' in permission)) return permission;
  for (const part of permission.all) if (!(await decide(part)).allowed) return refusedPart(part, decide);
  return permission;
}

type Leaf = Extract<Permission, { readonly action: string }>;

function leavesOf(permission: Permission): readonly Leaf[] {
  if ('action' in permission) return [permission];
  return ('all' in permission ? permission.all : permission.any).flatMap(leavesOf);
}

export function all(...parts: Permission[]): Permission {
  return { all: parts };
}
