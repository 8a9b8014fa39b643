/**
 * An empty `<branch>/`: some clients mark the root of what they take for a folder before they write into it. The branch is
 * there anyway, and no object can have that key.
 */
import { quoteEtag } from '../protocol/conditions.js';
import { S3Error } from '../protocol/errors.js';
import { mayBeBranch } from './entries.js';
import { translating } from './failures.js';
import { objectOperation } from './operation.js';
import { onObject } from './permissions.js';

/** MD5 of nothing. */
const emptyEtag = 'd41d8cd98f00b204e9800998ecf8427e';

export const putRoot = objectOperation({
  name: 'PutObject',
  method: 'PUT',
  writes: true,
  permission: onObject('fs:WriteObject'),
  async handle(context) {
    const { catalog, repository, ref, answer } = context;
    const payload = context.payload();
    if (payload.size !== 0) throw new S3Error('NoSuchKey');
    if (!mayBeBranch(ref)) throw new S3Error('NoSuchBucket');
    await translating({ not_found: 'NoSuchBucket' }, () => catalog.getBranch(repository.id, ref));
    // Its checksum is verified like any other.
    await payload.whole(0);
    await answer.empty(200, { ETag: quoteEtag(emptyEtag) });
  },
});
