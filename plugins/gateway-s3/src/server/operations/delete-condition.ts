/** What an object must be for a delete to take it. */
import { isSrvError } from '@srv/kernel';
import { matchesEtag, parseHttpDate } from '@srv/lib-api/http';
import { S3Error } from '../protocol/errors.js';
import { mayBeBranch } from './entries.js';
import type { Engine, Entry } from '@srv/engine/contract';
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
 * Deletes the object that the condition describes, and no other. What does not exist counts as deleted.
 * @throws S3Error `PreconditionFailed` when the object differs; what a delete throws.
 */
export async function deleteIf(engine: Engine, place: ObjectAddress, condition: DeleteCondition): Promise<void> {
  const holds = matcherOf(condition);
  try {
    if (mayBeBranch(place.ref)) await engine.deleteObjectIf(place.repository, place.ref, place.path, holds);
    else if (!holds(await engine.getEntry(place.repository, place.ref, place.path))) throw new S3Error('PreconditionFailed');
  } catch (error) {
    if (!isSrvError(error, 'not_found', 'invalid')) throw error;
  }
}

function matcherOf({ etag, lastModified, size }: DeleteCondition): (entry: Entry) => boolean {
  const seconds = (date: Date): number => Math.floor(date.getTime() / 1000);
  const wanted = lastModified === undefined ? undefined : seconds(dateOf(lastModified));
  return entry =>
    (etag === undefined || matchesEtag(etag, entry.etag)) &&
    (size === undefined || size.trim() === String(entry.size)) &&
    (wanted === undefined || wanted === seconds(entry.lastModified));
}

function dateOf(text: string): Date {
  const iso = /^\d{4}-\d\d-\d\dT/.test(text.trim()) ? new Date(text.trim()) : undefined;
  const date = iso && !Number.isNaN(iso.getTime()) ? iso : parseHttpDate(text);
  if (!date) throw new S3Error('InvalidArgument', { message: 'The date of a condition is not valid.' });
  return date;
}
