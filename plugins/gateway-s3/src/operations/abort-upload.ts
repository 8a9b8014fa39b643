/** AbortMultipartUpload. */
import { isSrvError } from '@srv/kernel';
import { relativePointer } from './entries.js';
import { objectOperation } from './operation.js';
import { onObject } from './permissions.js';

export const abortMultipartUpload = objectOperation({
  name: 'AbortMultipartUpload',
  method: 'DELETE',
  query: 'uploadId',
  writes: true,
  permission: onObject('fs:DeleteObject'),
  async handle({ uploads, block, repository, path, query, answer }) {
    const { uploadId, address } = await uploads.getOpen(query.get('uploadId') ?? '', repository.id, path);
    await block.abortMultipart(relativePointer(repository, address), uploadId).catch((error: unknown) => {
      // Ended in another way: what is left is the record.
      if (!isSrvError(error, 'not_found')) throw error;
    });
    await uploads.remove(uploadId);
    await answer.empty(204);
  },
});
