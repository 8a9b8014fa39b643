/** Checksums of objects that are copied: what was sent with the source may be of another kind, or of more than is copied. */

import { SrvError } from '@srv/kernel';
import { BodyDigest } from '@srv/lib-stores/body-digest';
import { checksumKind, isChecksumAlgorithm, unknownAlgorithm } from '../body/checksum.js';
import { keptChecksum } from '../protocol/stored-checksum.js';
import type { ByteRange } from '@srv/lib-stores/block';
import type { StoredChecksum } from '../protocol/stored-checksum.js';
import type { ObjectContext, ServiceContext } from './context.js';
import type { FoundSource } from './copy-source.js';

/** The algorithm that the request asks for, in lower case. @throws S3Error `InvalidRequest` when it is not known. */
export function requestedAlgorithm({ headers }: Pick<ServiceContext, 'headers'>): string | undefined {
  const algorithm = headers.text('x-amz-checksum-algorithm')?.toLowerCase();
  if (algorithm !== undefined && !isChecksumAlgorithm(algorithm)) throw unknownAlgorithm();
  return algorithm;
}

/** Of the whole source, or of `range`. The source is read, unless its checksum is known. */
export async function sourceChecksum(
  { engine, signal }: ObjectContext,
  { repository, entry }: FoundSource,
  algorithm: string,
  range?: ByteRange,
): Promise<StoredChecksum> {
  const kept = range ? undefined : keptChecksum(entry);
  if (kept?.type === 'FULL_OBJECT' && kept.algorithm === algorithm) return kept;
  const digest = new BodyDigest([checksumKind(`x-amz-checksum-${algorithm}`)]);
  try {
    const body = await engine.open(repository.id, entry, { signal, range });
    for await (const piece of body as AsyncIterable<Buffer>) await digest.update(piece);
    const [value] = await digest.finish();
    if (!value) throw new SrvError('internal', 'a digest of one kind has no value');
    return { type: 'FULL_OBJECT', algorithm, value: value.toString('base64') };
  } finally {
    digest.abandon();
  }
}
