/** Lists of addresses for query engines that read the block store themselves. */
import { json, operation } from '../operation.js';
import { may, objectArn } from '../permissions.js';
import { optional, text } from '../schema/field.js';
import { branchId, repositoryId } from '../schema/names.js';
import { storageUri } from '../schema/wire.js';

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
    handler: async ({ catalog }, input) => ({
      location: await catalog.createSymlinks(input.repository, input.branch, input.location ?? ''),
    }),
  }),
};
