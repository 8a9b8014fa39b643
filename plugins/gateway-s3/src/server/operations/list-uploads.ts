/** ListMultipartUploads, from our own records: every block store can. */
import { isFolder } from '../folders.js';
import { xmlDate } from '../protocol/dates.js';
import { S3Error } from '../protocol/errors.js';
import { percentEncode } from '../protocol/percent.js';
import { element, optional } from '../protocol/xml-writer.js';
import { BranchIds, isInRepository } from '../uploads/identity.js';
import { UploadPages } from '../uploads/upload-page.js';
import { limitOf } from './numbers.js';
import { bucketOperation } from './operation.js';
import { ownerElement } from './owner.js';
import { mayListFolder, onRepository } from './permissions.js';
import type { UploadRecord } from '../uploads/record.js';
import type { ListedUpload } from '../uploads/upload-page.js';

const maxUploads = 1000;

interface Shown extends ListedUpload {
  readonly path: string;
}

export const listMultipartUploads = bucketOperation({
  name: 'ListMultipartUploads',
  method: 'GET',
  query: 'uploads',
  permission: onRepository('fs:ListObjects'),
  async handle({ engine, uploads: tracker, repository, query, identity, settings, signal, decide, answer }) {
    const limit = limitOf(query, 'max-uploads', { max: maxUploads }) ?? maxUploads;
    const encoding = query.text('encoding-type');
    if (encoding !== undefined && encoding !== 'url')
      throw new S3Error('InvalidArgument', { message: 'Invalid Encoding Method specified in Request' });
    const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter') ?? ''];
    const [keyMarker, uploadIdMarker] = [query.get('key-marker') ?? '', query.get('upload-id-marker') ?? ''];
    const marked = keyMarker === '' ? undefined : await tracker.find(uploadIdMarker);
    const markedAt = marked && keyOf(marked) === keyMarker && isInRepository(marked, repository) ? marked.createdAt : undefined;
    const pages = new UploadPages<Shown>({ prefix, delimiter, keyMarker, uploadIdMarker, markedAt, limit });
    const branches = new BranchIds(engine, repository.id);
    for await (const upload of limit === 0 ? [] : tracker.open(repository, signal)) {
      const { uploadId, path, createdAt } = upload;
      const row = pages.rowOf({ key: keyOf(upload), path, uploadId, createdAt });
      if (!row || (await branches.isReplaced(upload))) continue;
      if (isFolder(upload.ref) && !(await decide(mayListFolder(repository, upload))).allowed) continue;
      pages.add(row);
    }
    const page = pages.page();
    // Clients that send a prefix or a delimiter expect whole keys; others are used to paths alone.
    const whole = settings.listUploadsWithRef || prefix !== '' || delimiter !== '';
    const shown = (key: string): string => (encoding === 'url' ? percentEncode(key, '/') : key);
    const { next } = page;
    await answer.xml(
      element('ListMultipartUploadsResult', [
        element('Bucket', repository.id),
        ...optional('KeyMarker', keyMarker === '' ? undefined : shown(keyMarker)),
        ...optional('UploadIdMarker', uploadIdMarker || undefined),
        ...optional('Prefix', prefix === '' ? undefined : shown(prefix)),
        ...optional('Delimiter', delimiter === '' ? undefined : shown(delimiter)),
        ...optional('EncodingType', encoding),
        ...page.uploads.map(({ key, path, uploadId, createdAt }) =>
          element('Upload', [
            element('Key', shown(whole ? key : path)),
            element('UploadId', uploadId),
            ownerElement(identity, 'Initiator'),
            ownerElement(identity),
            element('StorageClass', 'STANDARD'),
            element('Initiated', xmlDate(createdAt)),
          ]),
        ),
        ...page.prefixes.map(name => element('CommonPrefixes', [element('Prefix', shown(name))])),
        ...optional('NextKeyMarker', next && shown(next.key)),
        ...optional('NextUploadIdMarker', next?.uploadId),
        element('IsTruncated', next !== undefined),
        element('MaxUploads', limit),
      ]),
    );
  },
});

function keyOf({ ref, path }: Pick<UploadRecord, 'ref' | 'path'>): string {
  return `${ref}/${path}`;
}
