/** CreateMultipartUpload. */
import { unknownAlgorithm } from '../body/checksum.js';
import { joinableAs } from '../body/joined-checksum.js';
import { S3Error } from '../protocol/errors.js';
import { readMetadata } from '../protocol/metadata.js';
import { keepTags, requestTags } from '../protocol/tags.js';
import { element } from '../protocol/xml-writer.js';
import { identityOf } from '../uploads/identity.js';
import { prepareWrite, relativePointer } from './entries.js';
import { translating } from './failures.js';
import { objectOperation } from './operation.js';
import { onObject } from './permissions.js';
import { contentTypeOf, storageClassOf } from './put-object.js';
import type { UploadRecord } from '../uploads/record.js';
import type { ObjectContext } from './context.js';

export const createMultipartUpload = objectOperation({
  name: 'CreateMultipartUpload',
  method: 'POST',
  query: 'uploads',
  writes: true,
  permission: onObject('fs:WriteObject'),
  async handle(context) {
    const { engine, block, uploads, repository, ref, path, headers, answer } = context;
    const metadata = { ...readMetadata(headers), ...keepTags(requestTags(headers)) };
    const { checksumAlgorithm, checksumType } = checksumWanted(context);
    await prepareWrite(context);
    const identity = await translating({ not_found: 'NoSuchBucket' }, () => identityOf(engine, repository, ref));
    const address = engine.allocateAddress();
    const pointer = relativePointer(repository, address);
    const { uploadId } = await block.createMultipart(pointer, storageClassOf(context));
    try {
      await uploads.create({
        uploadId,
        path,
        createdAt: new Date(),
        address,
        metadata,
        contentType: contentTypeOf(context).contentType ?? '',
        repository: repository.id,
        ref,
        ...identity,
        checksumAlgorithm,
        checksumType,
      });
    } catch (error) {
      await block.abortMultipart(pointer, uploadId).catch(() => undefined);
      throw error;
    }
    await answer.xml(
      element('InitiateMultipartUploadResult', [
        element('Bucket', repository.id),
        element('Key', `${ref}/${path}`),
        element('UploadId', uploadId),
      ]),
      checksumAlgorithm === ''
        ? {}
        : { headers: { 'x-amz-checksum-algorithm': checksumAlgorithm.toUpperCase(), 'x-amz-checksum-type': checksumType } },
    );
  },
});

/** @throws S3Error `InvalidRequest` for an algorithm that is not known, or cannot be joined as asked. */
function checksumWanted({ headers }: ObjectContext): Pick<UploadRecord, 'checksumAlgorithm' | 'checksumType'> {
  const checksumAlgorithm = headers.text('x-amz-checksum-algorithm')?.toLowerCase() ?? '';
  const type = headers.text('x-amz-checksum-type')?.toUpperCase();
  if (checksumAlgorithm === '') {
    if (type !== undefined) {
      throw new S3Error('InvalidRequest', {
        message: 'The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.',
      });
    }
    return { checksumAlgorithm, checksumType: '' };
  }
  const types = joinableAs(checksumAlgorithm);
  if (types.length === 0) {
    throw unknownAlgorithm();
  }
  const checksumType = types.find(known => known === (type ?? types[0]));
  if (checksumType === undefined)
    throw new S3Error('InvalidRequest', {
      message: `The ${type} checksum type cannot be used with the ${checksumAlgorithm} checksum algorithm.`,
    });
  return { checksumAlgorithm, checksumType };
}
