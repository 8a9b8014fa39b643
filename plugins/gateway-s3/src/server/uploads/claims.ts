/**
 * What the client that completes an upload says about its parts and the object: checksums and the size. A claim that
 * cannot be verified is rejected, so that it does not look verified.
 */
import { claimedChecksum } from '../body/checksum.js';
import { S3Error } from '../protocol/errors.js';
import type { HeaderLines } from '../protocol/headers.js';
import type { StoredChecksum } from '../protocol/stored-checksum.js';
import type { VerifiedPart } from './part-checksums.js';
import type { PartToJoin } from './part-list.js';
import type { UploadRecord } from './record.js';

interface Claims {
  /** Of the request. */
  readonly headers: HeaderLines;
  readonly upload: Pick<UploadRecord, 'checksumAlgorithm' | 'checksumType'>;
  readonly parts: readonly PartToJoin[];
  /** What each of the parts was verified with. */
  readonly verified: readonly (VerifiedPart | undefined)[];
  /** Bytes of each part, if they are known. */
  readonly sizes: readonly number[] | undefined;
  /** Of the object, if it is known. */
  readonly checksum: StoredChecksum | undefined;
}

/**
 * @throws S3Error `InvalidPart` for a checksum that the part was not sent with, `BadDigest` for one of the object that is
 * another, `InvalidRequest` for one that is malformed or cannot be verified.
 */
export function checkClaims(claims: Claims): void {
  checkParts(claims);
  demandChecksums(claims);
  checkObject(claims);
  checkType(claims);
  checkSize(claims);
}

/** The checksum of the object is one of the list: what the client does not name it has not compared. */
function demandChecksums({ upload: { checksumAlgorithm, checksumType }, parts }: Claims): void {
  if (checksumType !== 'COMPOSITE') return;
  const bare = parts.find(({ checksums }) => !checksums.has(checksumAlgorithm));
  if (!bare) return;
  throw new S3Error('InvalidRequest', {
    message: `The upload was created using a ${checksumAlgorithm} checksum. The complete request must include the checksum for each part. It was missing for part ${bare.partNumber} in the request.`,
  });
}

function checkParts({ parts, verified }: Claims): void {
  for (const [i, { partNumber, checksums }] of parts.entries()) {
    for (const [algorithm, value] of checksums) {
      const part = verified[i];
      if (part?.algorithm === algorithm && part.value === value) continue;
      throw new S3Error('InvalidPart', {
        message: `Part ${partNumber} was not uploaded with the ${algorithm} checksum that the list of parts gives. List the checksum that the response to UploadPart returned, or none.`,
      });
    }
  }
}

/** A composite value may come without the number of parts. */
function checkObject({ headers, upload, parts, verified, checksum }: Claims): void {
  const claimed = claimedChecksum(headers);
  if (!claimed) return;
  const algorithm = upload.checksumAlgorithm || checksum?.algorithm;
  if (algorithm !== undefined && algorithm !== claimed.algorithm) {
    throw new S3Error('InvalidRequest', {
      message: `The upload was created using the ${algorithm} checksum mode. The complete request must use the same checksum mode.`,
    });
  }
  const header = `x-amz-checksum-${claimed.algorithm}`;
  if (!checksum) {
    const unverified = verified.findIndex(part => part?.algorithm !== claimed.algorithm);
    const why =
      unverified < 0
        ? 'the sizes of the parts are not known'
        : `part ${parts[unverified]?.partNumber} was uploaded without a ${claimed.algorithm} checksum`;
    throw new S3Error('InvalidRequest', {
      message: `The ${header} of the object cannot be verified: ${why}. Upload all parts with ${header} (copied parts have none), or complete the upload without it.`,
    });
  }
  if (claimed.value !== checksum.value && claimed.value !== checksum.value.replace(/-\d+$/, '')) throw new S3Error('BadDigest');
}

/** Of an upload that has no type, and an object that has no checksum, any may be meant. */
function checkType({ headers, upload, checksum }: Claims): void {
  const claimed = headers.text('x-amz-checksum-type')?.toUpperCase();
  const type = checksum?.type ?? upload.checksumType;
  if (claimed === undefined || type === '' || claimed === type) return;
  throw new S3Error('BadDigest', {
    message: `The upload was created using the ${type} checksum type. The complete request must use the same checksum type.`,
  });
}

function checkSize({ headers, sizes }: Claims): void {
  const header = 'x-amz-mp-object-size';
  const claimed = headers.text(header);
  if (claimed === undefined) return;
  if (!sizes) {
    throw new S3Error('InvalidRequest', {
      message: `The ${header} cannot be verified: the block store does not list the parts. Complete the upload without it.`,
    });
  }
  const size = sizes.reduce((sum, part) => sum + part, 0);
  if (!/^\d{1,15}$/.test(claimed) || Number(claimed) !== size)
    throw new S3Error('InvalidRequest', { message: `The ${header} ${claimed} is not the size of all parts, which is ${size}.` });
}
