/** `x-amz-copy-source`: which object is copied, and on which conditions. */

import { isSrvError } from '@srv/kernel';
import { judge } from '@srv/lib-api/http';
import { S3Error } from '../protocol/errors.js';
import { headerText } from '../protocol/headers.js';
import { percentDecode } from '../protocol/percent.js';
import { findEntry } from './entries.js';
import { arnOf } from './permissions.js';
import { checkCurrentVersion } from './versions.js';
import type { Entry, Repository } from '@srv/engine/contract';
import type { Permission } from '@srv/kernel';
import type { HeaderLines } from '../protocol/headers.js';
import type { ObjectContext } from './context.js';
import type { ObjectAddress } from './entries.js';

/** @throws S3Error `InvalidArgument` unless it names repository, ref and path; `NoSuchVersion` for another version than the current one. */
function copySource(headers: HeaderLines): ObjectAddress {
  const header = headerText(headers.first('x-amz-copy-source') ?? '');
  // A question mark of a key comes encoded.
  const [, plain = '', version] = /^([\s\S]*?)(?:\?versionId=([^?]*))?$/.exec(header) ?? [];
  checkCurrentVersion(version);
  const named = plain.replaceAll('+', ' ');
  const source = (percentDecode(named) ?? header).replace(/^\/+/, '');
  const match = /^([^/]+)\/([^/]+)\/([\s\S]+)$/.exec(source);
  if (!match)
    throw new S3Error('InvalidArgument', { message: 'Copy Source must mention the source bucket and key: sourcebucket/sourcekey.' });
  return { repository: match[1] ?? '', ref: match[2] ?? '', path: match[3] ?? '' };
}

/**
 * Reading the source and writing the destination.
 * @throws S3Error `AccessDenied` for a source in another repository that is not signed: the timestamp query covers no headers, and
 * S3A needs copies within a bucket for its renames.
 */
export function mayCopy({ headers, signature, repository, ref, path }: ObjectContext): Permission {
  const source = copySource(headers);
  if (signature === 'timestamp query' && source.repository !== repository.id)
    throw new S3Error('AccessDenied', {
      message: `The source ${JSON.stringify(source.repository)} is another bucket, and x-amz-copy-source is not signed: sign the request in version 4.`,
    });
  return {
    all: [
      { action: 'fs:WriteObject', resource: arnOf({ repository: repository.id, ref, path }) },
      { action: 'fs:ReadObject', resource: arnOf(source) },
    ],
  };
}

export interface FoundSource {
  readonly place: ObjectAddress;
  readonly repository: Repository;
  readonly entry: Entry;
}

/**
 * The source as it is now. What is copied by its path has to be checked again, since it may be another one by then.
 * @throws S3Error `NoSuchKey`, or `PreconditionFailed`.
 */
export async function findSource({ engine, headers }: Pick<ObjectContext, 'engine' | 'headers'>): Promise<FoundSource> {
  const place = copySource(headers);
  const repository = await engine.getRepository(place.repository).catch((error: unknown) => {
    if (isSrvError(error, 'not_found', 'invalid', 'gone')) throw new S3Error('NoSuchKey', { cause: error });
    throw error;
  });
  const entry = await findEntry(engine, place);
  checkSource(headers, entry);
  return { place, repository, entry };
}

/** Whether the conditions of the request hold for the source. @throws S3Error `PreconditionFailed`. */
export function checkSource(headers: HeaderLines, { etag, lastModified }: Pick<Entry, 'etag' | 'lastModified'>): void {
  const verdict = judge(
    {
      ifMatch: headers.text('x-amz-copy-source-if-match'),
      ifNoneMatch: headers.text('x-amz-copy-source-if-none-match'),
      ifModifiedSince: headers.text('x-amz-copy-source-if-modified-since'),
      ifUnmodifiedSince: headers.text('x-amz-copy-source-if-unmodified-since'),
    },
    etag,
    lastModified,
  );
  if (verdict !== 'proceed') throw new S3Error('PreconditionFailed');
}
