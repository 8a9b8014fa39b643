/** Part numbers and part lists of multipart uploads. */
import { SrvError } from '@srv/kernel';
import type { UploadedPart } from './contract.js';

export const maxPartNumber = 10_000;
const defaultPageSize = 1000;

export interface PartPage {
  /** Parts in the answer at most. Default: 1000. */
  readonly maxParts?: number;
  /** The page begins after this number. Default: 0. */
  readonly partNumberMarker?: number;
}

/** @throws SrvError `invalid` unless `partNumber` is a whole number from 1 to 10,000. */
export function checkPartNumber(partNumber: number): void {
  if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > maxPartNumber) {
    throw new SrvError('invalid', `part number ${partNumber} must be a whole number from 1 to ${maxPartNumber}`);
  }
}

/**
 * The listed parts in ascending number.
 * @throws SrvError `invalid` when the list is empty, names a number twice or one that cannot be.
 */
export function orderParts(address: string, listed: readonly UploadedPart[]): UploadedPart[] {
  if (listed.length === 0) throw new SrvError('invalid', `${address}: the list of parts is empty; name at least one`);
  if (new Set(listed.map(p => p.partNumber)).size < listed.length)
    throw new SrvError('invalid', `${address}: a part number is listed twice`);
  for (const { partNumber } of listed) checkPartNumber(partNumber);
  return [...listed].sort((a, b) => a.partNumber - b.partNumber);
}

/** @throws SrvError `invalid` when the part was never sent or has another etag than the list says. */
export function matchPart<T extends { readonly etag: string }>(
  address: string,
  { partNumber, etag }: UploadedPart,
  found: T | undefined,
): T {
  if (!found) throw new SrvError('invalid', `${address}: part ${partNumber} was never uploaded`);
  if (found.etag !== etag) throw new SrvError('invalid', `${address}: part ${partNumber} has etag ${found.etag}, not ${etag}`);
  return found;
}

/** One page of the parts of an upload. */
export function pageOfParts<T extends { readonly partNumber: number }>(
  all: readonly T[],
  { maxParts = defaultPageSize, partNumberMarker = 0 }: PartPage = {},
): { readonly parts: readonly T[]; readonly isTruncated: boolean; readonly nextPartNumberMarker?: number } {
  const rest = all.filter(({ partNumber }) => partNumber > partNumberMarker).sort((a, b) => a.partNumber - b.partNumber);
  const parts = rest.slice(0, maxParts);
  const [isTruncated, last] = [rest.length > parts.length, parts.at(-1)];
  return { parts, isTruncated, ...(isTruncated && last ? { nextPartNumberMarker: last.partNumber } : {}) };
}

/** @returns an error to throw: the upload is unknown, or was completed or aborted. */
export function unknownUpload(id: string, address: string): SrvError {
  return new SrvError('not_found', `upload ${id} of ${address} does not exist; it may have been completed or aborted`);
}
