/** A bucket or container that is not there: a fault of the store or its configuration, not one of the caller who asks for an object. */
import { SrvError, isSrvError } from '@srv/kernel';

/**
 * Its code is `unavailable`, so that no client takes objects for deleted; callers may see the reason.
 * @param kind what the store calls it: `bucket`, `container`.
 */
export function missingContainer(address: string, kind: string, cause: unknown): SrvError {
  const text = `${address}: the ${kind} does not exist; create it, or correct the storage namespace`;
  return new SrvError('unavailable', text, { cause, details: { missing: kind, note: text } });
}

export function isMissingContainer(error: unknown): boolean {
  return isSrvError(error, 'unavailable') && error.details['missing'] !== undefined;
}
