/** Conditional requests (RFC 9110, section 13): the same rules for every face. */
import { parseHttpDate } from './http-date.js';

/** Quoted, unless the store's own tag already is. */
export function quoteEtag(etag: string): string {
  return etag.startsWith('"') ? etag : `"${etag}"`;
}

/** The tag without its quotes. A weak one stays as it is: it equals no stored tag. */
export function strongEtag(etag: string): string {
  return etag.trim().replace(/^"(.*)"$/s, '$1');
}

/** The tag without its quotes, weak or not. */
export function bareEtag(etag: string): string {
  return strongEtag(etag.trim().replace(/^W\//, ''));
}

/** Whether the list of tags of `If-None-Match`, or `*`, names `etag`: weak comparison (RFC 9110, section 13.1.2). */
export function namesEtag(header: string, etag: string): boolean {
  return includesEtag(header, bareEtag(etag), bareEtag);
}

/** Whether the list of tags of `If-Match`, or `*`, names `etag`: strong comparison (RFC 9110, section 13.1.1), so a weak tag never does. */
export function matchesEtag(header: string, etag: string): boolean {
  return includesEtag(header, strongEtag(etag), strongEtag);
}

function includesEtag(header: string, wanted: string, read: (tag: string) => string): boolean {
  return header.split(',').some(tag => tag.trim() === '*' || read(tag) === wanted);
}

/** Values of the headers of these names. */
export interface Conditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly ifModifiedSince?: string | undefined;
  readonly ifUnmodifiedSince?: string | undefined;
}

export type Verdict = 'proceed' | 'not_modified' | 'failed';

/** Tags take precedence over dates; an invalid date is ignored. Dates are compared in whole seconds. */
export function judge({ ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince }: Conditions, etag: string, lastModified: Date): Verdict {
  const seconds = Math.floor(lastModified.getTime() / 1000);
  const since = (header: string | undefined): number | undefined => {
    const date = header === undefined ? undefined : parseHttpDate(header);
    return date && Math.floor(date.getTime() / 1000);
  };
  if (ifMatch !== undefined) {
    if (!matchesEtag(ifMatch, etag)) return 'failed';
  } else {
    const limit = since(ifUnmodifiedSince);
    if (limit !== undefined && seconds > limit) return 'failed';
  }
  if (ifNoneMatch !== undefined) return namesEtag(ifNoneMatch, etag) ? 'not_modified' : 'proceed';
  const limit = since(ifModifiedSince);
  return limit !== undefined && seconds <= limit ? 'not_modified' : 'proceed';
}

/**
 * Whether a range may be served that continues what the client has (RFC 9110, section 13.1.5). Otherwise the object is sent as
 * a whole: a range of another one would be appended to it. Only a strong tag shows that the bytes are the same. A date does not:
 * an object may be replaced twice within the second that a date can express.
 * @param ifRange value of `If-Range`.
 */
export function mayContinue(ifRange: string | undefined, etag: string): boolean {
  return ifRange === undefined || ifRange.trim() === quoteEtag(etag);
}
