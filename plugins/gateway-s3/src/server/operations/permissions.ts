/** Permissions of S3 operations (the S3 gateway sheet, section 3.1). */
import { objectArn, repositoryArn } from '@srv/lib-api';
import type { Permission } from '@srv/kernel';
import type { BucketContext, ObjectContext } from './context.js';

export const listRepositories: Permission = { action: 'fs:ListRepositories', resource: '*' };

export const onRepository =
  (action: string) =>
  ({ repository }: BucketContext): Permission => ({ action, resource: repositoryArn(repository.id) });

export const onObject =
  (action: string) =>
  ({ repository, path }: ObjectContext): Permission => ({ action, resource: objectArn(repository.id, path) });
