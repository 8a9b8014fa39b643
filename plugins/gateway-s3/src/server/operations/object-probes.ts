/** What clients ask about an object other than its content. */
import { httpDate } from '../protocol/dates.js';
import { S3Error } from '../protocol/errors.js';
import { checksumElementName, checksumElements, keptChecksum, partChecksum } from '../protocol/stored-checksum.js';
import { element, s3Namespace } from '../protocol/xml-writer.js';
import { keptPartSizes } from '../uploads/part-sizes.js';
import { acceptSameList, accessControlPolicy } from './access-control.js';
import { findEntry } from './entries.js';
import { wholeNumber } from './numbers.js';
import { objectOperation } from './operation.js';
import { onObject } from './permissions.js';
import type { Entry } from '@srv/engine/contract';
import type { XmlElement } from '../protocol/xml-writer.js';
import type { ObjectContext } from './context.js';

const mayRead = onObject('fs:ReadObject');

function entryOf({ engine, repository, ref, path }: ObjectContext): Promise<Entry> {
  return findEntry(engine, { repository: repository.id, ref, path });
}

export const getObjectAcl = objectOperation({
  name: 'GetObjectAcl',
  method: 'GET',
  query: 'acl',
  permission: mayRead,
  async handle(context) {
    await entryOf(context);
    await context.answer.xml(accessControlPolicy(context.identity));
  },
});

export const putObjectAcl = objectOperation({
  name: 'PutObjectAcl',
  method: 'PUT',
  query: 'acl',
  writes: true,
  permission: onObject('fs:WriteObject'),
  async handle(context) {
    await entryOf(context);
    await acceptSameList(context);
  },
});

/** Not an operation of S3's, but asked by some clients. */
export const getObjectVersioning = objectOperation({
  name: 'GetObjectVersioning',
  method: 'GET',
  query: 'versioning',
  permission: mayRead,
  handle: ({ answer }) => answer.xml(element('VersioningConfiguration', '')),
});

const defaultParts = 1000;

/** Parts of an upload, if they are known: as many as requested. */
function objectParts(entry: Entry, { headers }: ObjectContext): XmlElement | undefined {
  const sizes = keptPartSizes(entry);
  if (!sizes) return undefined;
  const marker = wholeNumber('x-amz-part-number-marker', headers.text('x-amz-part-number-marker') ?? '0');
  const limit = Math.min(defaultParts, wholeNumber('x-amz-max-parts', headers.text('x-amz-max-parts') ?? String(defaultParts)));
  const shown = sizes.slice(marker, marker + limit);
  const checksum = keptChecksum(entry);
  return element('ObjectParts', [
    element('PartsCount', sizes.length),
    element('PartNumberMarker', marker),
    element('NextPartNumberMarker', marker + shown.length),
    element('MaxParts', limit),
    element('IsTruncated', marker + shown.length < sizes.length),
    ...shown.map((size, i) => {
      const part = partChecksum(checksum, marker + i + 1, sizes.length);
      return element('Part', [
        element('PartNumber', marker + i + 1),
        element('Size', size),
        ...(part ? [element(checksumElementName(part.algorithm), part.value)] : []),
      ]);
    }),
  ]);
}

/** Attribute → its element. Others are known to S3 and have no value here. */
const attributes: Readonly<Record<string, (entry: Entry, context: ObjectContext) => XmlElement | undefined>> = {
  ETag: ({ etag }) => element('ETag', etag),
  Checksum: entry => {
    const checksum = keptChecksum(entry);
    return checksum && element('Checksum', checksumElements(checksum));
  },
  ObjectParts: objectParts,
  StorageClass: () => element('StorageClass', 'STANDARD'),
  ObjectSize: ({ size }) => element('ObjectSize', size),
};

export const getObjectAttributes = objectOperation({
  name: 'GetObjectAttributes',
  method: 'GET',
  query: 'attributes',
  permission: mayRead,
  async handle(context) {
    const names = (context.headers.get('x-amz-object-attributes') ?? '')
      .split(',')
      .map(name => name.trim())
      .filter(name => name !== '');
    if (names.length === 0 || !names.every(name => Object.hasOwn(attributes, name)))
      throw new S3Error('InvalidArgument', { message: 'Invalid attribute name specified.' });
    const entry = await entryOf(context);
    const shown = Object.entries(attributes).flatMap(([name, show]) => {
      const found = names.includes(name) ? show(entry, context) : undefined;
      return found ? [found] : [];
    });
    await context.answer.xml(element('GetObjectAttributesResponse', shown, { xmlns: s3Namespace }), {
      headers: { 'Last-Modified': httpDate(entry.lastModified) },
    });
  },
});
