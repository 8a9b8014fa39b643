/** The refusal of a request that policies do not allow: it names what is missing, to callers who may know that the bucket exists. */
import { may, refusedResource, repositoryArn } from '@srv/lib-api';
import { S3Error } from '../protocol/errors.js';
import { listRepositories } from './permissions.js';
import type { Decision, Permission } from '@srv/kernel';
import type { BucketContext, ServiceContext } from './context.js';

export async function refusalOf(
  permission: Permission,
  { reason = '' }: Decision,
  { decide, repository }: Pick<ServiceContext, 'decide'> & Partial<Pick<BucketContext, 'repository'>>,
): Promise<S3Error> {
  const [, why] = /^insufficient permissions: (not allowed to \S+|denied permission to \S+)$/.exec(reason) ?? [];
  if (why === undefined) return new S3Error('AccessDenied');
  const known = repository ? [may('fs:ReadRepository', repositoryArn(repository.id)), listRepositories] : [];
  const decisions = await Promise.all(known.map(decide));
  // Otherwise a refusal would differ from that of a bucket that does not exist.
  if (decisions.length > 0 && !decisions.some(({ allowed }) => allowed)) return new S3Error('AccessDenied');
  const resource = refusedResource(permission, reason);
  return new S3Error('AccessDenied', { message: `Access Denied: ${why}${resource === undefined ? '' : ` on ${resource}`}` });
}
