/** What an object must be for a delete to take it. */
import { namesEtag, parseHttpDate } from '@srv/lib-http';
import { S3Error } from '../protocol/errors.js';
import { findEntry, mayBeBranch } from './entries.js';
import { translating } from './failures.js';
import type { Catalog, Entry } from '@srv/catalog/contract';
import type { ObjectAddress } from './entries.js';

export interface DeleteCondition {
  /** Tags, or `*`. */
  readonly etag?: string | undefined;
  /** A date, in the form of headers or of XML. */
  readonly lastModified?: string | undefined;
  /** Bytes, in decimal. */
  readonly size?: string | undefined;
}

export function isConditional({ etag, lastModified, size }: DeleteCondition): boolean {
  return etag !== undefined || lastModified !== undefined || size !== undefined;
}

/**
 * Deletes the object that the condition describes, and no other.
 * @throws S3Error `PreconditionFailed` when the object differs; `NoSuchKey` when it does not exist; what a delete throws.
 */
export async function deleteIf(catalog: Catalog, place: ObjectAddress, condition: DeleteCondition): Promise<void> {
  const holds = matcherOf(condition);
  if (!mayBeBranch(place.ref)) {
    if (!holds(await findEntry(catalog, place))) throw new S3Error('PreconditionFailed');
    return;
  }
  await translating({ not_found: 'NoSuchKey', invalid: 'NoSuchKey', precondition_failed: 'PreconditionFailed' }, () =>
    catalog.deleteObjectIf(place.repository, place.ref, place.path, holds),
  );
}

function matcherOf({ etag, lastModified, size }: DeleteCondition): (entry: Entry) => boolean {
  const seconds = (date: Date): number => Math.floor(date.getTime() / 1000);
  const wanted = lastModified === undefined ? undefined : seconds(dateOf(lastModified));
  return entry =>
    (etag === undefined || namesEtag(etag, entry.etag)) &&
    (size === undefined || size.trim() === String(entry.size)) &&
    (wanted === undefined || wanted === seconds(entry.lastModified));
}

function dateOf(text: string): Date {
  const iso = /^\d{4}-\d\d-\d\dT/.test(text.trim()) ? new Date(text.trim()) : undefined;
  const date = iso && !Number.isNaN(iso.getTime()) ? iso : parseHttpDate(text);
  if (!date) throw new S3Error('InvalidArgument', { message: 'The date of a condition is not valid.' });
  return date;
}
