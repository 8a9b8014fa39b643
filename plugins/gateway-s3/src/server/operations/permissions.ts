/** Permissions of S3 operations (the S3 gateway sheet, section 3.1). */
import { objectArn, repositoryArn } from '@srv/lib-api';
import { isFolder } from '../folders.js';
import type { Repository } from '@srv/engine/contract';
import type { Permission } from '@srv/kernel';
import type { BucketContext, ObjectContext } from './context.js';
import type { ObjectAddress } from './entries.js';

export const listRepositories: Permission = { action: 'fs:ListRepositories', resource: '*' };

export const onRepository =
  (action: string) =>
  ({ repository }: BucketContext): Permission => ({ action, resource: repositoryArn(repository.id) });

export const onObject =
  (action: string) =>
  ({ repository, ref, path }: ObjectContext): Permission => ({ action, resource: arnOf({ repository: repository.id, ref, path }) });

/** Objects have the same name on all branches; what lies in a folder beside the refs has a name that no object of a branch has. */
export function arnOf({ repository, ref, path }: ObjectAddress): string {
  return isFolder(ref) ? `${repositoryArn(repository)}/folder/${ref}/${path}` : objectArn(repository, path);
}

/** Listing a folder beside the refs: the right to list the repository does not include it. */
export function mayListFolder(repository: Pick<Repository, 'id'>, { ref, path }: Pick<ObjectAddress, 'ref' | 'path'>): Permission {
  return { action: 'fs:ListObjects', resource: arnOf({ repository: repository.id, ref, path }) };
}
