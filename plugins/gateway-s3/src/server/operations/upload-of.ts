/** The upload that a request is about. */
import { S3Error } from '../protocol/errors.js';
import { BranchIds } from '../uploads/identity.js';
import type { UploadRecord } from '../uploads/record.js';
import type { UploadTracker } from '../uploads/tracker.js';
import type { ObjectContext } from './context.js';

/**
 * @param state which uploads are meant: all, those in progress, or those to which parts can be added.
 * @throws S3Error `NoSuchUpload`; also when the branch of the request is a new one of the name of the upload's branch.
 */
export async function uploadOf(context: ObjectContext, state: 'get' | 'getOpen' | 'getGrowing'): Promise<UploadRecord> {
  const { uploads, repository, path, query } = context;
  const upload = await uploads[state satisfies keyof UploadTracker](query.get('uploadId') ?? '', repository, path);
  await checkBranch(context, upload);
  return upload;
}

/** An upload may be completed on another branch than its own, but not on a namesake of that. @throws S3Error `NoSuchUpload`. */
export async function checkBranch({ engine, repository, ref }: ObjectContext, upload: UploadRecord): Promise<void> {
  if (upload.ref === ref && (await new BranchIds(engine, repository.id).isReplaced(upload))) throw new S3Error('NoSuchUpload');
}
