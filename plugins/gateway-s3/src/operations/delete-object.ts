/** DeleteObject: what is not there counts as deleted. */
import { isSrvError } from '@srv/kernel';
import { namesEtag } from '../protocol/conditions.js';
import { S3Error } from '../protocol/errors.js';
import { findEntry, mayBeBranch } from './entries.js';
import { objectOperation } from './operation.js';
import { onObject } from './permissions.js';
import type { ObjectContext } from './context.js';

export const deleteObject = objectOperation({
  name: 'DeleteObject',
  method: 'DELETE',
  writes: true,
  permission: onObject('fs:DeleteObject'),
  async handle(context) {
    const { catalog, repository, ref, path, answer } = context;
    await checkCondition(context);
    if (mayBeBranch(ref)) {
      await catalog.deleteObject(repository.id, ref, path).catch((error: unknown) => {
        if (!isSrvError(error, 'not_found')) throw error;
      });
    }
    await answer.empty(204);
  },
});

/** Looked at just before, not at the same moment: of two clients one may delete what the other has just written. */
async function checkCondition({ catalog, repository, ref, path, headers }: ObjectContext): Promise<void> {
  const ifMatch = headers.text('if-match');
  if (ifMatch === undefined) return;
  const { etag } = await findEntry(catalog, { repository: repository.id, ref, path });
  if (!namesEtag(ifMatch, etag)) throw new S3Error('PreconditionFailed');
}
