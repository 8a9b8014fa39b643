/** The checksum of an object, from those its parts were verified with. */
import { joinChecksums, joinableAs } from '../body/joined-checksum.js';
import type { ChecksumType, StoredChecksum } from '../protocol/stored-checksum.js';
import type { PartChecksums, VerifiedPart } from './part-checksums.js';
import type { PartToJoin } from './part-list.js';
import type { UploadRecord } from './record.js';

/** What each part of a list was verified with; `undefined` for parts that were sent without a checksum, or copied. */
export async function verifiedParts(
  known: PartChecksums,
  { uploadId }: Pick<UploadRecord, 'uploadId'>,
  parts: readonly PartToJoin[],
): Promise<readonly (VerifiedPart | undefined)[]> {
  const all = await known.all(uploadId);
  return parts.map(({ partNumber, etag }) => {
    const found = all.get(partNumber);
    // A part that was sent again, without a checksum, is another one.
    return found?.etag === etag ? found : undefined;
  });
}

/** Bytes of each part, if all of them are known. */
export function verifiedSizes(parts: readonly (VerifiedPart | undefined)[]): readonly number[] | undefined {
  const sizes = parts.flatMap(part => part?.size ?? []);
  return sizes.length === parts.length ? sizes : undefined;
}

/**
 * `undefined` unless every part was verified with the algorithm of the upload, or, where it has none, with the same one.
 * @param sizes bytes of each part, if they are known.
 */
export async function wholeChecksum(
  { checksumAlgorithm, checksumType }: Pick<UploadRecord, 'checksumAlgorithm' | 'checksumType'>,
  parts: readonly (VerifiedPart | undefined)[],
  sizes: readonly number[] | undefined,
): Promise<StoredChecksum | undefined> {
  const algorithm = checksumAlgorithm || parts[0]?.algorithm;
  const verified = parts.flatMap(part => (part && part.algorithm === algorithm ? [part] : []));
  if (algorithm === undefined || verified.length < parts.length) return undefined;
  const wanted: ChecksumType = checksumType === 'COMPOSITE' ? 'COMPOSITE' : 'FULL_OBJECT';
  if (!joinableAs(algorithm).includes(wanted) || (wanted === 'FULL_OBJECT' && !sizes)) return undefined;
  const whole = await joinChecksums(
    algorithm,
    wanted,
    verified.map(({ value }, i) => ({ value, size: sizes?.[i] ?? 0 })),
  );
  return { ...whole, parts: verified.map(({ value }) => value) };
}
