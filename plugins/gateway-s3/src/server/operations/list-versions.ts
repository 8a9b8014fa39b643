/** ListObjectVersions: every object has one version, the current one; its id is `null`. */
import { quoteEtag } from '@srv/lib-api/http';
import { xmlDate } from '../protocol/dates.js';
import { S3Error } from '../protocol/errors.js';
import { percentEncode } from '../protocol/percent.js';
import { element, optional, s3Namespace } from '../protocol/xml-writer.js';
import { list, mayList } from './list-objects.js';
import { parseListing } from './listing-request.js';
import { bucketOperation } from './operation.js';
import { ownerElement } from './owner.js';

/** Of objects that have no versions. */
const noVersion = 'null';

export const listObjectVersions = bucketOperation({
  name: 'ListObjectVersions',
  method: 'GET',
  query: 'versions',
  permission: mayList,
  async handle(context) {
    const { query, repository, identity, answer } = context;
    const versionMarker = query.text('version-id-marker');
    const request = parseListing(query, 'key-marker');
    const { marker, prefix, delimiter, maxKeys, urlEncoded } = request;
    if (versionMarker !== undefined && marker === '')
      throw new S3Error('InvalidArgument', { message: 'A version-id marker cannot be specified without a key marker.' });
    const { objects, prefixes, stoppedAt } = await list(context, request);
    const shown = (key: string): string => (urlEncoded ? percentEncode(key, '/') : key);
    await answer.xml(
      element(
        'ListVersionsResult',
        [
          element('Name', repository.id),
          element('Prefix', shown(prefix)),
          element('KeyMarker', shown(marker)),
          element('VersionIdMarker', versionMarker ?? ''),
          ...optional('NextKeyMarker', stoppedAt === undefined ? undefined : shown(stoppedAt)),
          ...optional('NextVersionIdMarker', stoppedAt !== undefined && objects.at(-1)?.key === stoppedAt ? noVersion : undefined),
          element('MaxKeys', maxKeys),
          ...optional('Delimiter', delimiter === '' ? undefined : shown(delimiter)),
          ...optional('EncodingType', urlEncoded ? 'url' : undefined),
          element('IsTruncated', stoppedAt !== undefined),
          ...objects.map(({ key, entry }) =>
            element('Version', [
              element('Key', shown(key)),
              element('VersionId', noVersion),
              element('IsLatest', true),
              element('LastModified', xmlDate(entry.lastModified)),
              element('ETag', quoteEtag(entry.etag)),
              element('Size', entry.size),
              ownerElement(identity),
              element('StorageClass', 'STANDARD'),
            ]),
          ),
          ...prefixes.map(name => element('CommonPrefixes', [element('Prefix', shown(name))])),
        ],
        { xmlns: s3Namespace },
      ),
    );
  },
});
