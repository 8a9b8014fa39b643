/** DeleteObject: what is not there counts as deleted, unless a condition says what must be there. */
import { isSrvError } from '@srv/kernel';
import { deleteIf, isConditional } from './delete-condition.js';
import { mayBeBranch } from './entries.js';
import { objectOperation } from './operation.js';
import { onObject } from './permissions.js';

export const deleteObject = objectOperation({
  name: 'DeleteObject',
  method: 'DELETE',
  writes: true,
  permission: onObject('fs:DeleteObject'),
  async handle({ engine, repository, ref, path, headers, answer }) {
    const condition = {
      etag: headers.text('if-match'),
      lastModified: headers.text('x-amz-if-match-last-modified-time'),
      size: headers.text('x-amz-if-match-size'),
    };
    if (isConditional(condition)) await deleteIf(engine, { repository: repository.id, ref, path }, condition);
    else if (mayBeBranch(ref)) {
      await engine.deleteObject(repository.id, ref, path).catch((error: unknown) => {
        if (!isSrvError(error, 'not_found')) throw error;
      });
    }
    await answer.empty(204);
  },
});
