/** Conditional requests (RFC 9110, section 13). */
import { S3Error } from './errors.js';
import { parseHttpDate } from './dates.js';
import type { WriteCondition } from '@srv/catalog/contract';

/** Quoted, unless the store's own tag already is. */
export function quoteEtag(etag: string): string {
  return etag.startsWith('"') ? etag : `"${etag}"`;
}

export function bareEtag(etag: string): string {
  return etag
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/s, '$1');
}

/** Whether a list of tags, or `*`, names `etag`. */
export function namesEtag(header: string, etag: string): boolean {
  const wanted = bareEtag(etag);
  return header.split(',').some(tag => tag.trim() === '*' || bareEtag(tag) === wanted);
}

interface Conditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly ifModifiedSince?: string | undefined;
  readonly ifUnmodifiedSince?: string | undefined;
}

type Verdict = 'proceed' | 'not_modified' | 'failed';

/** Tags take precedence over dates; an invalid date is ignored. Dates are compared in whole seconds. */
export function judge({ ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince }: Conditions, etag: string, lastModified: Date): Verdict {
  const seconds = Math.floor(lastModified.getTime() / 1000);
  const since = (header: string | undefined): number | undefined => {
    const date = header === undefined ? undefined : parseHttpDate(header);
    return date && Math.floor(date.getTime() / 1000);
  };
  if (ifMatch !== undefined) {
    if (!namesEtag(ifMatch, etag)) return 'failed';
  } else {
    const limit = since(ifUnmodifiedSince);
    if (limit !== undefined && seconds > limit) return 'failed';
  }
  if (ifNoneMatch !== undefined) return namesEtag(ifNoneMatch, etag) ? 'not_modified' : 'proceed';
  const limit = since(ifModifiedSince);
  return limit !== undefined && seconds <= limit ? 'not_modified' : 'proceed';
}

/**
 * The condition of a write. Empty headers set none.
 * @throws S3Error `NotImplemented` for what has no meaning on a write.
 */
export function writeCondition(ifNoneMatch: string | undefined, ifMatch: string | undefined): WriteCondition | undefined {
  if (!ifNoneMatch && !ifMatch) return undefined;
  if (ifNoneMatch === '*' && !ifMatch) return { ifAbsent: true };
  if (ifMatch && !ifNoneMatch && !ifMatch.includes(',')) return { ifMatch: bareEtag(ifMatch) };
  throw new S3Error('NotImplemented');
}
