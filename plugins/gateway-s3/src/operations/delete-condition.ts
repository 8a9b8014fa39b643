/** What an object must be for a delete to take it. */
import { namesEtag } from '../protocol/conditions.js';
import { parseHttpDate } from '../protocol/dates.js';
import { S3Error } from '../protocol/errors.js';
import { findEntry } from './entries.js';
import type { Catalog } from '@srv/catalog/contract';
import type { Place } from './entries.js';

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
 * Looked at just before, not at the same moment: the catalog has no conditional delete, so of two clients one may delete
 * what the other has just written.
 * @throws S3Error `PreconditionFailed` when the object is another; `NoSuchKey` when there is none.
 */
export async function checkDelete(catalog: Catalog, place: Place, condition: DeleteCondition): Promise<void> {
  if (!isConditional(condition)) return;
  const entry = await findEntry(catalog, place);
  const { etag, lastModified, size } = condition;
  const seconds = (date: Date): number => Math.floor(date.getTime() / 1000);
  const holds =
    (etag === undefined || namesEtag(etag, entry.etag)) &&
    (size === undefined || size.trim() === String(entry.size)) &&
    (lastModified === undefined || seconds(dateOf(lastModified)) === seconds(entry.lastModified));
  if (!holds) throw new S3Error('PreconditionFailed');
}

function dateOf(text: string): Date {
  const iso = /^\d{4}-\d\d-\d\dT/.test(text.trim()) ? new Date(text.trim()) : undefined;
  const date = iso && !Number.isNaN(iso.getTime()) ? iso : parseHttpDate(text);
  if (!date) throw new S3Error('InvalidArgument', { message: 'The date of a condition is not valid.' });
  return date;
}
