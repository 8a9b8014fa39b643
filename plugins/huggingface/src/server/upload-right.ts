/** Rights to send bytes without credentials: they end with the user and the repository that they were signed for. */
import { HubError, repoNotFound } from './errors.js';
import { findRepo } from './revision.js';
import type {} from '@srv/auth/contract';
import type { Repository } from '@srv/engine/contract';
import type { HubParts } from './context.js';

export interface UploadRight {
  readonly repository: string;
  /** `instanceUid` of the repository: one that is created later under its name is another one. */
  readonly instance: string;
  readonly user: string;
}

/** @throws HubError 403 for a user who was removed, 404 for a repository that was. */
export async function findTarget(
  { engine, services }: Pick<HubParts, 'engine' | 'services'>,
  { repository: id, instance, user }: UploadRight,
): Promise<Repository> {
  const accounts = services.find('accounts');
  if (accounts && !(await accounts.knownUser(user))) throw new HubError(403, `the user ${user} does not exist, or is not active`);
  const repository = await findRepo(engine, { type: 'models', repository: id, id });
  if (repository.instanceUid !== instance) throw repoNotFound(id);
  return repository;
}
