/** UploadPart and UploadPartCopy. */
import { quoteEtag } from '@srv/lib-api/http';
import { announcedAlgorithm } from '../body/checksum.js';
import { xmlDate } from '../protocol/dates.js';
import { S3Error } from '../protocol/errors.js';
import { parseCopyRange } from '../protocol/range.js';
import { checksumElementName, checksumHeaders } from '../protocol/stored-checksum.js';
import { element } from '../protocol/xml-writer.js';
import { findSource, mayCopy } from './copy-source.js';
import { pointerTo, relativePointer } from './entries.js';
import { translating, withLostData } from './failures.js';
import { partNumberOf } from './numbers.js';
import { objectOperation } from './operation.js';
import { onObject } from './permissions.js';
import { demandLength, verifiedChecksum } from './put-object.js';
import { sourceChecksum } from './source-checksum.js';
import { uploadOf } from './upload-of.js';
import type { ByteRange, ObjectPointer } from '@srv/lib-stores/block';
import type { XmlElement } from '../protocol/xml-writer.js';
import type { ObjectContext } from './context.js';

interface Part {
  readonly pointer: ObjectPointer;
  readonly uploadId: string;
  readonly partNumber: number;
  /** Of the upload; empty if it has none. */
  readonly checksumAlgorithm: string;
}

export const uploadPart = objectOperation({
  name: 'UploadPart',
  method: 'PUT',
  query: 'uploadId',
  parameters: ['partNumber'],
  writes: true,
  permission: onObject('fs:WriteObject'),
  async handle(context) {
    const { block, uploads, signal, answer } = context;
    demandLength(context);
    const { pointer, uploadId, partNumber, checksumAlgorithm } = await partOf(context);
    checkAlgorithm(context, checksumAlgorithm);
    const payload = context.payload();
    const size = payload.size === undefined ? {} : { size: payload.size };
    const { etag } = await translating({ not_found: 'NoSuchUpload' }, () =>
      block.uploadPart(pointer, uploadId, partNumber, payload.stream, { signal, md5: payload.md5, ...size }),
    );
    const checksum = verifiedChecksum(payload);
    if (checksum) await uploads.checksums.set(uploadId, partNumber, { ...checksum, etag, ...size });
    await uploads.keepPart(uploadId);
    await answer.empty(200, { ETag: quoteEtag(etag), ...checksumHeaders(checksum) });
  },
});

export const uploadPartCopy = objectOperation({
  name: 'UploadPartCopy',
  method: 'PUT',
  query: 'uploadId',
  parameters: ['partNumber'],
  header: 'x-amz-copy-source',
  writes: true,
  permission: mayCopy,
  async handle(context) {
    const { block, uploads, answer } = context;
    const { pointer, uploadId, partNumber, checksumAlgorithm } = await partOf(context);
    const source = await findSource(context);
    const { repository, entry } = source;
    const range = copyRange(context, entry.size);
    const copy = async (): Promise<XmlElement> => {
      // As of a part that is sent: then the object gets its checksum, too.
      const checksum = checksumAlgorithm === '' ? undefined : await withLostData(sourceChecksum(context, source, checksumAlgorithm, range));
      const part = await translating({ not_found: 'NoSuchUpload' }, () =>
        withLostData(block.copyPart(pointerTo(repository, entry), pointer, uploadId, partNumber, range)),
      );
      const size = range ? range.end - range.start + 1 : entry.size;
      if (checksum) await uploads.checksums.set(uploadId, partNumber, { ...checksum, etag: part.etag, size });
      await uploads.keepPart(uploadId);
      return element('CopyPartResult', [
        element('LastModified', xmlDate(part.lastModified)),
        element('ETag', quoteEtag(part.etag)),
        ...(checksum ? [element(checksumElementName(checksum.algorithm), checksum.value)] : []),
      ]);
    };
    await answer.xmlWhenReady(copy());
  },
});

/** @throws S3Error `InvalidRequest` for a part whose checksum could not be joined to that of the object. */
function checkAlgorithm({ headers }: ObjectContext, expected: string): void {
  const actual = announcedAlgorithm(headers);
  if (expected === '' || actual === undefined || actual === expected) return;
  throw new S3Error('InvalidRequest', {
    message: `Checksum Type mismatch occurred, expected checksum Type: ${expected}, actual checksum Type: ${actual}`,
  });
}

async function partOf(context: ObjectContext): Promise<Part> {
  const { query, repository } = context;
  const partNumber = partNumberOf(query);
  const { uploadId, address, checksumAlgorithm } = await uploadOf(context, 'getGrowing');
  return { pointer: relativePointer(repository, address), uploadId, partNumber, checksumAlgorithm };
}

/** @throws S3Error `InvalidArgument` for another form, or outside the source. */
function copyRange({ headers }: ObjectContext, size: number): ByteRange | undefined {
  const header = headers.text('x-amz-copy-source-range');
  if (header === undefined) return undefined;
  const range = parseCopyRange(header);
  if (!range) {
    throw new S3Error('InvalidArgument', {
      message:
        'The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy',
    });
  }
  if (range.end >= size)
    throw new S3Error('InvalidArgument', { message: `Range specified is not valid for source object of size: ${size}` });
  return range;
}
