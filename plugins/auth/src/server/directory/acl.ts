/** Mode `simplified`: a group has one permission, kept as a policy the group alone is attached to. */
import { SrvError } from '@srv/kernel';
import { aclStatements } from '@srv/lib-auth';
import type { AclPermission } from '../../contract.js';
import type { Groups } from './groups.js';

/** Name of the policy that implements a group's permission. */
function aclPolicyName(group: string): string {
  return `ACL(_-_)${group}`;
}

/** @throws SrvError `invalid`. */
export function parseAclPermission(text: string): AclPermission {
  const found = (Object.keys(aclStatements) as AclPermission[]).find(permission => permission === text);
  if (found === undefined)
    throw new SrvError('invalid', `permission ${JSON.stringify(text)}: must be one of ${Object.keys(aclStatements).join(', ')}`);
  return found;
}

/** @returns `undefined` when the group has no policy. @throws SrvError `not_found` when its policies do not amount to a permission. */
export async function getAcl(groups: Groups, group: string): Promise<AclPermission | undefined> {
  await groups.groups.get(group);
  const names: string[] = [];
  for await (const name of groups.groupPolicies.members(group)) names.push(name);
  const found = (await Promise.all(names.map(name => groups.policies.find(name)))).filter(policy => policy !== undefined);
  const [policy, ...others] = found;
  if (policy === undefined) return undefined;
  if (others.length > 0) throw noAcl('Multiple policies attached to group - no ACL');
  if (policy.acl === undefined) throw noAcl(`policy ${policy.id} attached to group ${group} is not an ACL`);
  return policy.acl;
}

/** Makes `permission` all that the group has. */
export async function setAcl(groups: Groups, group: string, permission: AclPermission): Promise<void> {
  await groups.groups.get(group);
  const id = aclPolicyName(group);
  await groups.policies.put(id, { id, createdAt: new Date(), statement: aclStatements[permission], acl: permission });
  await groups.attach(group, id, { tolerate: true });
  for await (const other of groups.groupPolicies.members(group)) if (other !== id) await groups.groupPolicies.drop(group, other);
}

function noAcl(message: string): SrvError {
  return new SrvError('not_found', message, { details: { no_acl: true } });
}
