/** ListObjects and ListObjectsV2: branches and tags at the top of the bucket, objects below `<ref>/`. */

import { isSrvError } from '@srv/kernel';
import { repositoryArn } from '@srv/lib-api';
import { quoteEtag } from '@srv/lib-api/http';
import { isFolder } from '../folders.js';
import { xmlDate } from '../protocol/dates.js';
import { S3Error } from '../protocol/errors.js';
import { percentEncode } from '../protocol/percent.js';
import { element, optional } from '../protocol/xml-writer.js';
import { encodeToken, listedPlace, parseListing, seenAt } from './listing-request.js';
import { bucketOperation } from './operation.js';
import { ownerElement } from './owner.js';
import { mayListFolder } from './permissions.js';
import { listRefPrefixes } from './ref-listing.js';
import type { Entry } from '@srv/engine/contract';
import type { Permission } from '@srv/kernel';
import type { XmlElement } from '../protocol/xml-writer.js';
import type { BucketContext } from './context.js';
import type { ListingRequest } from './listing-request.js';

interface Listing {
  readonly objects: readonly { readonly key: string; readonly entry: Entry }[];
  readonly prefixes: readonly string[];
  /** The last key or prefix shown, when there is more. */
  readonly stoppedAt?: string | undefined;
}

const nothing: Listing = { objects: [], prefixes: [] };

export const listObjects = bucketOperation({
  name: 'ListObjects',
  method: 'GET',
  permission: mayList,
  async handle(context) {
    const request = parseListing(context.query);
    await context.answer.xml(present(context, request, await list(context, request)));
  },
});

/** A listing of folders at the top shows branches and nothing else. */
export function mayList({ query, repository }: BucketContext): Permission {
  const within = listedPlace(query);
  if (within.kind === 'objects' && isFolder(within.ref)) return mayListFolder(repository, within);
  const branches = query.get('delimiter') === '/' && within.kind === 'refs';
  return { action: branches ? 'fs:ListBranches' : 'fs:ListObjects', resource: repositoryArn(repository.id) };
}

export async function list(context: BucketContext, request: ListingRequest): Promise<Listing> {
  const { within, maxKeys } = request;
  if (maxKeys === 0) return nothing;
  return within.kind === 'refs' ? refs(context, request, within.prefix) : objects(context, request, within);
}

/** Tags are shown to those who may list them. */
async function refs(context: BucketContext, { after, maxKeys }: ListingRequest, prefix: string): Promise<Listing> {
  const { engine, repository, settings, decide } = context;
  const tags = settings.listTags && (await decide({ action: 'fs:ListTags', resource: repositoryArn(repository.id) })).allowed;
  const page = await listRefPrefixes(engine, { repository: repository.id, prefix, after, amount: maxKeys, tags });
  return { objects: [], prefixes: page.results.map(name => `${name}/`), stoppedAt: page.hasMore ? page.nextOffset : undefined };
}

async function objects(
  { engine, repository }: BucketContext,
  { after, maxKeys, delimiter }: ListingRequest,
  { ref, path }: { readonly ref: string; readonly path: string },
): Promise<Listing> {
  const seen = seenAt(ref, after);
  if (seen === undefined) return nothing;
  try {
    const page = await engine.list(repository.id, ref, { prefix: path, delimiter, after: seen, amount: maxKeys });
    return {
      objects: page.results.flatMap(item => (item.kind === 'object' ? [{ key: `${ref}/${item.path}`, entry: item.entry }] : [])),
      prefixes: page.results.flatMap(item => (item.kind === 'common_prefix' ? [`${ref}/${item.path}`] : [])),
      stoppedAt: page.hasMore ? `${ref}/${page.nextOffset}` : undefined,
    };
  } catch (error) {
    // A prefix that names no ref is a folder that is not there.
    if (isSrvError(error, 'not_found')) return nothing;
    if (isSrvError(error, 'invalid')) throw new S3Error('BadRequest', { cause: error });
    throw error;
  }
}

function present(
  { repository, identity }: BucketContext,
  request: ListingRequest,
  { objects: found, prefixes, stoppedAt }: Listing,
): XmlElement {
  const { version, urlEncoded, delimiter, token } = request;
  const shown = (key: string): string => (urlEncoded ? percentEncode(key, '/') : key);
  const commonPrefixes = prefixes.map(prefix => element('CommonPrefixes', [element('Prefix', shown(prefix))]));
  const owner = request.fetchOwner ? [ownerElement(identity)] : [];
  const contents = found.map(({ key, entry }) =>
    element('Contents', [
      element('Key', shown(key)),
      element('LastModified', xmlDate(entry.lastModified)),
      element('ETag', quoteEtag(entry.etag)),
      element('Size', entry.size),
      ...owner,
      element('StorageClass', 'STANDARD'),
    ]),
  );
  return element('ListBucketResult', [
    element('Name', repository.id),
    element('IsTruncated', stoppedAt !== undefined),
    element('Prefix', shown(request.prefix)),
    ...optional('Delimiter', delimiter === '' ? undefined : shown(delimiter)),
    ...optional('EncodingType', urlEncoded ? 'url' : undefined),
    element('KeyCount', found.length + prefixes.length),
    element('MaxKeys', request.maxKeys),
    ...commonPrefixes,
    ...(version === 1
      ? [
          element('Marker', shown(request.marker)),
          ...optional(
            'NextMarker',
            stoppedAt !== undefined && (delimiter !== '' || request.within.kind === 'refs') ? shown(stoppedAt) : undefined,
          ),
        ]
      : [
          ...optional('NextContinuationToken', stoppedAt === undefined ? undefined : encodeToken(stoppedAt)),
          ...optional('ContinuationToken', token || undefined),
          ...optional('StartAfter', request.startAfter === '' ? undefined : shown(request.startAfter)),
        ]),
    ...contents,
  ]);
}
