/** CreateMultipartUpload. */
import { readMetadata } from '../protocol/metadata.js';
import { element } from '../protocol/xml-writer.js';
import { prepareWrite, relativePointer } from './entries.js';
import { objectOperation } from './operation.js';
import { onObject } from './permissions.js';
import { contentTypeOf, storageClassOf } from './put-object.js';

export const createMultipartUpload = objectOperation({
  name: 'CreateMultipartUpload',
  method: 'POST',
  query: 'uploads',
  writes: true,
  permission: onObject('fs:WriteObject'),
  async handle(context) {
    const { catalog, block, uploads, repository, ref, path, headers, answer } = context;
    const metadata = readMetadata(headers);
    await prepareWrite(context);
    const address = catalog.allocateAddress();
    const pointer = relativePointer(repository, address);
    const { uploadId } = await block.createMultipart(pointer, storageClassOf(context));
    const checksumAlgorithm = headers.text('x-amz-checksum-algorithm') ?? '';
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
        checksumAlgorithm,
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
        : { headers: { 'x-amz-checksum-algorithm': checksumAlgorithm.toUpperCase().replace(/[^A-Z0-9]/g, '') } },
    );
  },
});
