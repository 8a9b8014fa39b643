/** CopyObject: within a repository by metadata alone. What one path shows never changes with another. */
import { quoteEtag } from '@srv/lib-api/http';
import { isFolder } from '../folders.js';
import { writeCondition } from '../protocol/conditions.js';
import { xmlDate } from '../protocol/dates.js';
import { S3Error } from '../protocol/errors.js';
import { readMetadata } from '../protocol/metadata.js';
import { checksumElements, checksumIn, keepChecksum, keptChecksum } from '../protocol/stored-checksum.js';
import { keptTags, requestTags, withTags } from '../protocol/tags.js';
import { element } from '../protocol/xml-writer.js';
import { partSizesIn } from '../uploads/part-sizes.js';
import { checkSource, findSource, mayCopy } from './copy-source.js';
import { pointerTo, prepareWrite, relativePointer, stageStored } from './entries.js';
import { translating, withLostData } from './failures.js';
import { objectOperation } from './operation.js';
import { contentTypeOf } from './put-object.js';
import { requestedAlgorithm, sourceChecksum } from './source-checksum.js';
import type { Entry, WriteCondition } from '@srv/engine/contract';
import type { Metadata } from '../protocol/metadata.js';
import type { Tag } from '../protocol/tags.js';
import type { XmlElement } from '../protocol/xml-writer.js';
import type { ObjectContext } from './context.js';
import type { FoundSource } from './copy-source.js';

export const copyObject = objectOperation({
  name: 'CopyObject',
  method: 'PUT',
  header: 'x-amz-copy-source',
  writes: true,
  permission: mayCopy,
  async handle(context) {
    const { headers, answer } = context;
    const condition = writeCondition(headers.text('if-none-match'), headers.text('if-match'));
    const algorithm = requestedAlgorithm(context);
    const replaced = replaces(headers, 'x-amz-metadata-directive') ? readMetadata(headers) : undefined;
    const tags = replaces(headers, 'x-amz-tagging-directive') ? requestTags(headers) : undefined;
    await prepareWrite(context, condition);
    const source = await findSource(context);
    if (!replaced && !tags && algorithm === undefined && isSamePlace(context, source)) {
      throw new S3Error('InvalidRequest', {
        message:
          "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
      });
    }
    await answer.xmlWhenReady(copy(context, source, { replaced, tags, algorithm, condition }));
  },
});

/** @throws S3Error `InvalidArgument` for another word. */
function replaces(headers: ObjectContext['headers'], name: string): boolean {
  const directive = headers.text(name)?.toUpperCase() ?? 'COPY';
  if (!['COPY', 'REPLACE'].includes(directive))
    throw new S3Error('InvalidArgument', { message: `${name} is ${JSON.stringify(directive)}: it must be COPY or REPLACE` });
  return directive === 'REPLACE';
}

interface Changes {
  /** Instead of the source's metadata. */
  readonly replaced: Metadata | undefined;
  /** Instead of the source's tags. */
  readonly tags: readonly Tag[] | undefined;
  /** Of the checksum that the copy is to have, instead of that of the source. */
  readonly algorithm: string | undefined;
  readonly condition: WriteCondition | undefined;
}

async function copy(context: ObjectContext, source: FoundSource, { replaced, tags, algorithm, condition }: Changes): Promise<XmlElement> {
  const { entry } = source;
  const checksum = algorithm === undefined ? {} : keepChecksum(await withLostData(sourceChecksum(context, source, algorithm)), entry.etag);
  const describe = ({ metadata, contentType }: Described): Described => {
    const kept = replaced ? { ...replaced, ...partSizesIn(metadata), ...checksumIn(metadata) } : metadata;
    return {
      contentType,
      metadata: { ...withTags(kept, tags ?? keptTags(metadata)), ...checksum },
      ...(replaced ? contentTypeOf(context) : {}),
    };
  };
  const check = (now: Entry): void => {
    checkSource(context.headers, now);
    if (algorithm !== undefined && now.etag !== entry.etag) throw new S3Error('OperationAborted');
  };
  const request = { check, describe, condition };
  const work = isFolder(context.ref) || isFolder(source.place.ref) ? copyFile : copyEntry;
  const codes = { not_found: 'NoSuchKey', conflict: 'OperationAborted' } as const;
  const made = await translating(codes, () => withLostData(work(context, source, request)));
  return element('CopyObjectResult', [
    element('LastModified', xmlDate(made.lastModified)),
    element('ETag', quoteEtag(made.etag)),
    ...checksumElements(keptChecksum(made)),
  ]);
}

type Described = Pick<Entry, 'metadata' | 'contentType'>;

interface EntryCopy {
  /** Whether an entry may be copied: the conditions of the request hold for it, and the checksum is its own. @throws S3Error. */
  readonly check: (source: Entry) => void;
  readonly describe: (source: Described) => Described;
  readonly condition: WriteCondition | undefined;
}

function copyEntry(
  { engine, repository, ref, path, signal }: ObjectContext,
  { repository: from, place }: FoundSource,
  { check, describe, condition }: EntryCopy,
): Promise<Entry> {
  const source = { repository: from, ref: place.ref, path: place.path };
  return engine.copyObject(repository, source, { branch: ref, path }, { checkSource: check, describe, signal, condition });
}

/** Files of folders beside the refs have no entries: the bytes are copied of the source that was found, whatever is at its path by now. */
async function copyFile(
  context: ObjectContext,
  { repository: from, entry }: FoundSource,
  { describe, condition }: EntryCopy,
): Promise<Entry> {
  const { engine, block, repository, signal } = context;
  const address = engine.allocateAddress();
  await block.copy(pointerTo(from, entry), relativePointer(repository, address), signal);
  return stageStored(context, {
    address,
    size: entry.size,
    etag: entry.etag,
    ...describe(entry),
    lastModified: new Date(),
    condition,
  });
}

function isSamePlace({ repository, ref, path }: ObjectContext, { place }: FoundSource): boolean {
  return place.repository === repository.id && place.ref === ref && place.path === path;
}
