/** Lists of addresses for query engines that read the block store themselves. */
import { branchId, json, may, objectArn, operation, optional, repositoryId, text } from '@srv/lib-api';
import { storageUri } from './wire.js';

export const symlinkOperations = {
  createSymlinkFile: operation({
    operationId: 'createSymlinkFile',
    method: 'POST',
    path: '/repositories/{repository}/refs/{branch}/symlink',
    tag: 'internal',
    summary: 'Write the addresses of the objects of every directory to a file',
    params: { repository: repositoryId, branch: branchId },
    query: { location: optional(text({ maxBytes: 1024 })) },
    status: 201,
    result: json(storageUri),
    failures: [404],
    // The name of the branch in place of a path: policies that allow this were written so.
    permission: input => may('fs:WriteObject', objectArn(input.repository, input.branch)),
    handler: async ({ services }, input) => ({
      location: await services.get('engine').createSymlinks(input.repository, input.branch, input.location ?? ''),
    }),
  }),
};
