/** The checksum of an object whose parts were verified, and what the client says about it. */
import { checksumAlgorithms } from '../body/checksum.js';
import { joinChecksums, joinableAs } from '../body/joined-checksum.js';
import { S3Error } from '../protocol/errors.js';
import type { HeaderLines } from '../protocol/headers.js';
import type { ChecksumType, StoredChecksum } from '../protocol/stored-checksum.js';
import type { PartChecksums, VerifiedPart } from './part-checksums.js';
import type { PartToJoin } from './part-list.js';
import type { UploadRecord } from './record.js';

interface WholeChecksumRequest {
  readonly upload: UploadRecord;
  readonly parts: readonly PartToJoin[];
  /** Bytes of each part; empty where the store does not tell. */
  readonly sizes: readonly number[];
  readonly known: PartChecksums;
  readonly headers: HeaderLines;
}

/**
 * `undefined` unless every part was verified with the algorithm of the upload, or, where it has none, with the same one.
 * @throws S3Error `InvalidPart`, or `BadDigest`, when the client takes a part, or the whole, for something else.
 */
export async function wholeChecksum({ upload, parts, sizes, known, headers }: WholeChecksumRequest): Promise<StoredChecksum | undefined> {
  const all = await known.all(upload.uploadId);
  const verified = parts.flatMap(part => {
    const found = all.get(part.partNumber);
    // A part that was sent again, without a checksum, is another one.
    if (!found || found.etag !== part.etag) return [];
    const claimed = part.checksums.get(found.algorithm);
    if (claimed !== undefined && claimed !== found.value) throw new S3Error('InvalidPart');
    return [found];
  });
  const checksum = verified.length === parts.length ? joined(upload, verified, sizes) : undefined;
  if (checksum) expect(headers, checksum);
  return checksum;
}

function joined(
  { checksumAlgorithm, checksumType }: UploadRecord,
  verified: readonly VerifiedPart[],
  sizes: readonly number[],
): StoredChecksum | undefined {
  const algorithm = checksumAlgorithm || verified[0]?.algorithm;
  if (algorithm === undefined || verified.some(part => part.algorithm !== algorithm)) return undefined;
  const wanted: ChecksumType = checksumType === 'COMPOSITE' ? 'COMPOSITE' : 'FULL_OBJECT';
  if (!joinableAs(algorithm).includes(wanted) || (wanted === 'FULL_OBJECT' && sizes.length !== verified.length)) return undefined;
  const whole = joinChecksums(
    algorithm,
    wanted,
    verified.map(({ value }, i) => ({ value, size: sizes[i] ?? 0 })),
  );
  return { ...whole, parts: verified.map(({ value }) => value) };
}

/** A composite value may come without the number of parts. */
function expect(headers: HeaderLines, { algorithm, value }: StoredChecksum): void {
  const claimed = headers.text(`x-amz-checksum-${algorithm}`);
  if (claimed !== undefined && claimed !== value && claimed !== value.replace(/-\d+$/, '')) throw new S3Error('BadDigest');
  const others = checksumAlgorithms.filter(other => other !== algorithm && headers.text(`x-amz-checksum-${other}`) !== undefined);
  if (others.length > 0) {
    throw new S3Error('InvalidRequest', {
      message: `The upload was created using the ${algorithm} checksum mode. The complete request must use the same checksum mode.`,
    });
  }
}
