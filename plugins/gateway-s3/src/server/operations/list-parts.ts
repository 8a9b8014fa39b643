/** ListParts. */
import { quoteEtag } from '@srv/lib-api/http';
import { xmlDate } from '../protocol/dates.js';
import { element, optional } from '../protocol/xml-writer.js';
import { relativePointer } from './entries.js';
import { translating } from './failures.js';
import { limitOf } from './numbers.js';
import { objectOperation } from './operation.js';
import { ownerElement } from './owner.js';
import { onObject } from './permissions.js';
import { uploadOf } from './upload-of.js';

const maxParts = 1000;
const maxPartNumber = 10_000;

export const listParts = objectOperation({
  name: 'ListParts',
  method: 'GET',
  query: 'uploadId',
  permission: onObject('fs:ReadObject'),
  async handle(context) {
    const { block, identity, repository, ref, path, query, answer } = context;
    const limit = limitOf(query, 'max-parts', { max: maxParts }) ?? maxParts;
    const marker = limitOf(query, 'part-number-marker', { max: maxPartNumber }) ?? 0;
    const { uploadId, address } = await uploadOf(context, 'getOpen');
    const page =
      limit === 0
        ? { parts: [], isTruncated: false, nextPartNumberMarker: undefined }
        : await translating({ not_found: 'NoSuchUpload' }, () =>
            block.listParts(relativePointer(repository, address), uploadId, { maxParts: limit, partNumberMarker: marker }),
          );
    await answer.xml(
      element('ListPartsResult', [
        element('Bucket', repository.id),
        element('Key', `${ref}/${path}`),
        element('UploadId', uploadId),
        ownerElement(identity, 'Initiator'),
        ownerElement(identity),
        element('StorageClass', 'STANDARD'),
        element('PartNumberMarker', marker),
        ...optional('NextPartNumberMarker', page.nextPartNumberMarker),
        element('MaxParts', limit),
        element('IsTruncated', page.isTruncated),
        ...page.parts.map(part =>
          element('Part', [
            element('PartNumber', part.partNumber),
            element('LastModified', xmlDate(part.lastModified)),
            element('ETag', quoteEtag(part.etag)),
            element('Size', part.size),
          ]),
        ),
      ]),
    );
  },
});
