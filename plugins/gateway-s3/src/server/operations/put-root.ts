/**
 * An empty `<branch>/`: some clients mark the root of what they take for a folder before they write into it. The branch is
 * there anyway, and no object can have that key. Whatever asks for more than such a marker is refused: a client that copies
 * an object here and then deletes the original would lose it.
 */
import { mayAnyBelow, objectArn } from '@srv/lib-api';
import { quoteEtag } from '@srv/lib-api/http';
import { writeCondition } from '../protocol/conditions.js';
import { S3Error } from '../protocol/errors.js';
import { mayBeBranch } from './entries.js';
import { translating } from './failures.js';
import { objectOperation } from './operation.js';
import { demandWhole } from './put-object.js';
import type { ServiceContext } from './context.js';

/** MD5 of an empty body. */
const emptyEtag = 'd41d8cd98f00b204e9800998ecf8427e';

export const putRoot = objectOperation({
  name: 'PutObject',
  method: 'PUT',
  writes: true,
  // Clients that may write below the branch, perhaps into one folder only, begin with the marker.
  permission: ({ repository }) => mayAnyBelow('fs:WriteObject', objectArn(repository.id, '')),
  async handle(context) {
    const { engine, repository, ref, headers, answer } = context;
    refuseCopy(context);
    demandWhole(context);
    const condition = writeCondition(headers.text('if-none-match'), headers.text('if-match'));
    const payload = context.payload();
    if (payload.size !== 0 || (condition && 'ifMatch' in condition)) throw new S3Error('NoSuchKey');
    if (!mayBeBranch(ref)) throw new S3Error('NoSuchBucket');
    await translating({ not_found: 'NoSuchBucket' }, () => engine.getBranch(repository.id, ref));
    // Its checksum is verified like any other.
    await payload.whole(0);
    await answer.empty(200, { ETag: quoteEtag(emptyEtag) });
  },
});

/** @throws S3Error `InvalidRequest` for a copy, even of nothing. */
function refuseCopy({ headers }: Pick<ServiceContext, 'headers'>): void {
  if (headers.get('x-amz-copy-source') === undefined) return;
  throw new S3Error('InvalidRequest', {
    message: 'An object cannot be copied to the root of a branch; name a key that has a path after the branch.',
  });
}
