/**
 * CompleteMultipartUpload: joins the parts, then the entry appears on the branch of the request. One request at a time owns
 * the upload; others with the same list get the same response, and those with another list get `NoSuchUpload`.
 */

import { isSrvError } from '@srv/kernel';
import { quoteEtag } from '@srv/lib-api/http';
import { isFolder } from '../folders.js';
import { writeCondition } from '../protocol/conditions.js';
import { S3Error } from '../protocol/errors.js';
import { percentEncode } from '../protocol/percent.js';
import { checksumElements, checksumIn, keptChecksum } from '../protocol/stored-checksum.js';
import { xmlText } from '../protocol/xml-reader.js';
import { element } from '../protocol/xml-writer.js';
import { joinParts } from '../uploads/join-parts.js';
import { OwnedUpload, UploadLost } from '../uploads/owned-upload.js';
import { listDigest, parsePartList } from '../uploads/part-list.js';
import { isUnwritten, prepareWrite, relativePointer, removeUnstaged, stage } from './entries.js';
import { objectOperation } from './operation.js';
import { onObject } from './permissions.js';
import { checkBranch, uploadOf } from './upload-of.js';
import type { Entry, WriteCondition } from '@srv/engine/contract';
import type { ErrorCode } from '@srv/kernel';
import type { XmlElement } from '../protocol/xml-writer.js';
import type { JoinedObject } from '../uploads/ending.js';
import type { PartToJoin } from '../uploads/part-list.js';
import type { CompletedRecord, UploadRecord } from '../uploads/record.js';
import type { ObjectContext } from './context.js';

/** Bytes: ten thousand parts with checksums. */
const maxBody = 4 * 1024 * 1024;

/** The same request may succeed later. */
const passing: readonly ErrorCode[] = [
  'slow_down',
  'too_many_tries',
  'moving',
  'unavailable',
  'timeout',
  'closed',
  'cancelled',
  'internal',
];

export const completeMultipartUpload = objectOperation({
  name: 'CompleteMultipartUpload',
  method: 'POST',
  query: 'uploadId',
  writes: true,
  permission: onObject('fs:WriteObject'),
  async handle(context) {
    const { ref, headers, answer } = context;
    const upload = await uploadOf(context, 'get');
    const condition = writeCondition(headers.text('if-none-match'), headers.text('if-match'));
    const parts = await parsePartList(xmlText(await context.payload('object').whole(maxBody)));
    const completion = { upload, parts, list: listDigest(ref, parts), condition };
    if (!hasBegun(upload)) await prepareFirst(context, completion);
    await answer.xmlWhenReady(complete(context, completion));
  },
});

interface Completion {
  readonly upload: UploadRecord;
  readonly parts: readonly PartToJoin[];
  readonly list: string;
  readonly condition?: WriteCondition | undefined;
}

function hasBegun({ completed, ending }: UploadRecord): boolean {
  return completed !== undefined || ending !== undefined;
}

/** Fails early, unless another request began meanwhile: then what is on the branch may be this very upload. */
async function prepareFirst(context: ObjectContext, { upload, condition }: Completion): Promise<void> {
  try {
    await prepareWrite(context, condition);
  } catch (error) {
    const now = await context.uploads.find(upload.uploadId);
    if (!now || !hasBegun(now)) throw error;
  }
}

async function complete(context: ObjectContext, completion: Completion): Promise<XmlElement> {
  for (;;) {
    const claimed = await context.uploads.claim(completion.upload, completion.list, context.signal);
    if (!(claimed instanceof OwnedUpload)) return present(context, claimed);
    try {
      return present(context, await completeOwned(context, claimed, completion));
    } catch (error) {
      // This server was stalled for long: another one continues the upload, and its response counts.
      if (!(error instanceof UploadLost)) throw error;
    } finally {
      claimed.close();
    }
  }
}

async function completeOwned(context: ObjectContext, owned: OwnedUpload, completion: Completion): Promise<CompletedRecord> {
  const { uploads, path, log } = context;
  const before = await progressOf(context, owned);
  const joined = before.joined ?? (await join(context, owned, completion));
  if (!before.isStaged) await stageJoined(context, owned, { joined, completion });
  const completed = { etag: joined.etag, at: new Date(), list: completion.list, kept: checksumIn(joined.kept) };
  try {
    await owned.complete(completed);
    await uploads.checksums.remove(owned.upload.uploadId);
  } catch (error) {
    if (!(error instanceof UploadLost)) log.warn({ path, error: String(error) }, 'cannot record that an upload is complete');
  }
  return completed;
}

interface Progress {
  readonly joined: JoinedObject | undefined;
  readonly isStaged: boolean;
}

/** How far requests before this one got. If that cannot be found out for now, the next request need not wait for this one. */
async function progressOf(context: ObjectContext, owned: OwnedUpload): Promise<Progress> {
  try {
    return await resume(context, owned);
  } catch (error) {
    if (!(error instanceof S3Error || error instanceof UploadLost)) await owned.leave().catch(() => undefined);
    throw error;
  }
}

/** @throws S3Error `NoSuchUpload` when what a request before this one has joined is gone: it was collected as garbage. */
async function resume(context: ObjectContext, owned: OwnedUpload): Promise<Progress> {
  const { block, repository } = context;
  const { upload, wasMaybeStaged } = owned;
  const joined = owned.before?.joined;
  if (!joined || (await block.exists(relativePointer(repository, upload.address))))
    return { joined, isStaged: wasMaybeStaged && (await staged(context))?.address === upload.address };
  // A folder takes the object itself, and nothing in it is replaced.
  if (wasMaybeStaged && isFolder(context.ref) && (await staged(context))?.size === joined.size) return { joined, isStaged: true };
  await forget(context, owned);
  throw new S3Error('NoSuchUpload');
}

/** Removes the record of an upload that cannot be completed. @throws UploadLost */
async function forget({ uploads }: ObjectContext, owned: OwnedUpload): Promise<void> {
  await owned.abandon();
  await uploads.remove(owned.upload.uploadId);
}

/** Joins the parts. If it fails, the upload is unchanged. */
async function join(context: ObjectContext, owned: OwnedUpload, { parts }: Completion): Promise<JoinedObject> {
  const { block, uploads, repository, headers } = context;
  const { upload, before } = owned;
  try {
    return await joinParts({
      block,
      pointer: relativePointer(repository, upload.address),
      upload,
      parts,
      known: uploads.checksums,
      headers,
      again: before !== undefined,
    });
  } catch (error) {
    if (error instanceof S3Error && error.code === 'NoSuchUpload') await forget(context, owned);
    else if (error instanceof S3Error) await owned.reopen();
    else await owned.leave();
    throw error;
  }
}

interface Staging {
  readonly joined: JoinedObject;
  readonly completion: Completion;
}

/**
 * Puts the entry on the branch. When nothing can refer to the object, it goes, unless the same request can succeed later.
 * @throws UploadLost when another server continues the upload; this one has removed nothing.
 */
async function stageJoined(context: ObjectContext, owned: OwnedUpload, { joined, completion: { condition } }: Staging): Promise<void> {
  const { upload } = owned;
  try {
    await checkBranch(context, upload);
    await owned.staging(joined);
  } catch (error) {
    if (!(error instanceof UploadLost)) await owned.leave();
    throw error;
  }
  try {
    await stage(context, {
      address: upload.address,
      size: joined.size,
      etag: joined.etag,
      metadata: { ...upload.metadata, ...joined.kept },
      lastModified: joined.lastModified,
      contentType: upload.contentType === '' ? undefined : upload.contentType,
      condition,
    });
  } catch (error) {
    if (!isUnwritten(error)) await owned.leave();
    else if (isSrvError(error, ...passing)) await owned.leave({ unwritten: true });
    else {
      // The record first: an object that is gone must not be staged.
      await forget(context, owned);
      if (!owned.wasMaybeStaged) await removeUnstaged(context, upload.address);
    }
    throw error;
  }
}

/** What is at the path of the request. */
async function staged({ engine, repository, ref, path }: ObjectContext): Promise<Entry | undefined> {
  try {
    return await engine.getEntry(repository.id, ref, path);
  } catch (error) {
    if (isSrvError(error, 'not_found')) return undefined;
    throw error;
  }
}

function present({ origin, repository, ref, path }: ObjectContext, { etag, kept }: CompletedRecord): XmlElement {
  const key = `${ref}/${path}`;
  return element('CompleteMultipartUploadResult', [
    element('Location', `${origin}/${repository.id}/${percentEncode(key, '/')}`),
    element('Bucket', repository.id),
    element('Key', key),
    element('ETag', quoteEtag(etag)),
    ...checksumElements(keptChecksum({ metadata: kept, etag })),
  ]);
}
