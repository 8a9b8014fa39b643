/** CompleteMultipartUpload: joins the parts, then the entry appears on the branch of the request. Repeating it is harmless. */
import { isSrvError } from '@srv/kernel';
import { quoteEtag, writeCondition } from '../protocol/conditions.js';
import { S3Error } from '../protocol/errors.js';
import { percentEncode } from '../protocol/percent.js';
import { element } from '../protocol/xml-writer.js';
import { checkParts, joinedEtag, parsePartList } from '../uploads/part-list.js';
import { checksumElements, keepChecksum } from '../protocol/stored-checksum.js';
import { keepPartSizes } from '../uploads/part-sizes.js';
import { wholeChecksum } from '../uploads/whole-checksum.js';
import { prepareWrite, relativePointer, stageStored } from './entries.js';
import { objectOperation } from './operation.js';
import { onObject } from './permissions.js';
import type { WriteCondition } from '@srv/catalog/contract';
import type { CompletedUpload, ListedPart, ObjectPointer } from '@srv/kernel';
import type { StoredChecksum } from '../protocol/stored-checksum.js';
import type { XmlElement } from '../protocol/xml-writer.js';
import type { PartToJoin } from '../uploads/part-list.js';
import type { UploadRecord } from '../uploads/record.js';
import type { ObjectContext } from './context.js';

/** Bytes: ten thousand parts with checksums. */
const maxBody = 4 * 1024 * 1024;

export const completeMultipartUpload = objectOperation({
  name: 'CompleteMultipartUpload',
  method: 'POST',
  query: 'uploadId',
  writes: true,
  permission: onObject('fs:WriteObject'),
  async handle(context) {
    const { uploads, repository, path, query, headers, answer } = context;
    const upload = await uploads.get(query.get('uploadId') ?? '', repository.id, path);
    if (upload.completed) return answer.xml(present(context, upload.completed.etag));
    const condition = writeCondition(headers.text('if-none-match'), headers.text('if-match'));
    const parts = parsePartList((await context.payload('object').whole(maxBody)).toString('utf8'));
    await prepareWrite(context, condition);
    await answer.xmlWhenReady(complete(context, { upload, parts, ...(condition ? { condition } : {}) }));
  },
});

interface Completion {
  readonly upload: UploadRecord;
  readonly parts: readonly PartToJoin[];
  readonly condition?: WriteCondition;
}

async function complete(context: ObjectContext, { upload, parts, condition }: Completion): Promise<XmlElement> {
  const { uploads, path, log } = context;
  const stored = await join(context, upload, parts);
  await stageStored(context, {
    address: upload.address,
    size: stored.size,
    etag: stored.etag,
    metadata: {
      ...upload.metadata,
      ...keepPartSizes(stored.sizes),
      ...(stored.checksum ? keepChecksum(stored.checksum, stored.etag) : {}),
    },
    lastModified: stored.lastModified,
    ...(upload.contentType === '' ? {} : { contentType: upload.contentType }),
    ...(condition ? { condition } : {}),
  });
  await uploads
    .complete(upload, stored.etag)
    .catch((error: unknown) => log.warn({ path, error: String(error) }, 'cannot note that an upload is complete'));
  return present(context, stored.etag, stored.checksum);
}

interface Joined extends CompletedUpload {
  readonly sizes: readonly number[];
  readonly checksum?: StoredChecksum | undefined;
}

async function join(
  { block, uploads, repository, headers }: ObjectContext,
  upload: UploadRecord,
  parts: readonly PartToJoin[],
): Promise<Joined> {
  const { uploadId, address } = upload;
  const pointer = relativePointer(repository, address);
  try {
    const stored = await storedParts(pointer, uploadId);
    if (stored) checkParts(parts, stored);
    const sizes = stored ? parts.map(({ partNumber }) => stored.get(partNumber)?.size ?? 0) : [];
    const checksum = await wholeChecksum({ upload, parts, sizes, known: uploads.checksums, headers });
    return { ...(await block.completeMultipart(pointer, uploadId, parts)), sizes, checksum };
  } catch (error) {
    if (isSrvError(error, 'invalid')) throw new S3Error('InvalidPart', { cause: error });
    if (!isSrvError(error, 'not_found')) throw error;
    // The parts were joined before, but the entry did not appear: this request takes up where that one ended.
    const joined = await block.properties(pointer).catch(() => {
      throw new S3Error('NoSuchUpload', { cause: error });
    });
    return { ...joined, etag: joinedEtag(parts), sizes: [] };
  }

  /** `undefined` where the store cannot list them; it then checks by itself. */
  async function storedParts(of: ObjectPointer, id: string): Promise<Map<number, ListedPart> | undefined> {
    const found = new Map<number, ListedPart>();
    let partNumberMarker = 0;
    for (let more = true; more; ) {
      const page = await block.listParts(of, id, { partNumberMarker, maxParts: 1000 }).catch((error: unknown) => {
        if (isSrvError(error, 'unsupported')) return undefined;
        throw error;
      });
      if (!page) return undefined;
      for (const part of page.parts) found.set(part.partNumber, part);
      more = page.isTruncated && page.nextPartNumberMarker !== undefined;
      partNumberMarker = page.nextPartNumberMarker ?? 0;
    }
    return found;
  }
}

function present({ origin, repository, ref, path }: ObjectContext, etag: string, checksum?: StoredChecksum): XmlElement {
  const key = `${ref}/${path}`;
  return element('CompleteMultipartUploadResult', [
    element('Location', `${origin}/${repository.id}/${percentEncode(key, '/')}`),
    element('Bucket', repository.id),
    element('Key', key),
    element('ETag', quoteEtag(etag)),
    ...checksumElements(checksum),
  ]);
}
