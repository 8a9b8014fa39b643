/** AbortMultipartUpload. */
import { endParts } from '../uploads/abandoned.js';
import { relativePointer } from './entries.js';
import { objectOperation } from './operation.js';
import { onObject } from './permissions.js';

export const abortMultipartUpload = objectOperation({
  name: 'AbortMultipartUpload',
  method: 'DELETE',
  query: 'uploadId',
  writes: true,
  permission: onObject('fs:DeleteObject'),
  async handle({ uploads, block, repository, path, query, signal, answer }) {
    const upload = await uploads.get(query.get('uploadId') ?? '', repository, path);
    const claimed = await uploads.claimAbort(upload, signal);
    await endParts(block, relativePointer(repository, claimed.address), claimed);
    await uploads.remove(claimed.uploadId);
    await answer.empty(204);
  },
});
