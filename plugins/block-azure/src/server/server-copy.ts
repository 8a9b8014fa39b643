/**
 * Copies that the service makes: it reads pieces of other blobs as blocks of a new one, which appears whole with
 * the last request and keeps the old one until then.
 */
import { inParallel } from '@srv/lib-stores/block';
import { isStatus, serviceCode } from './errors.js';
import { blockIds, tiered } from './write.js';
import type { BlockBlobClient } from '@azure/storage-blob';
import type { BlobAddress } from './address.js';
import type { Signer } from './sign.js';

/** Bytes of a blob. */
export interface Piece {
  readonly source: BlobAddress;
  readonly offset: number;
  readonly length: number;
  /** Of the blob when it was looked at, as the service has it. Absent: it is not written again. */
  readonly version?: string | undefined;
}

export interface JoinOptions {
  readonly tier?: string | undefined;
  /** Of the whole, where it is known. */
  readonly md5?: Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Runs when all pieces were read, before the target appears; a failure leaves the target as it was. */
  readonly beforeCommit?: (() => Promise<void>) | undefined;
}

/** Larger pieces are copied as several blocks; 10,000 parts of five blocks each are as many as a blob may have. */
const copyBlockBytes = 256 << 20;
const blocksAtOnce = 8;
/** Another write of the same blob drops our blocks; the sources are still there, so it is simply done again. */
const tries = 3;

export async function joinPieces(
  target: BlockBlobClient,
  pieces: readonly Piece[],
  signer: Signer,
  { tier, md5, signal, beforeCommit }: JoinOptions,
): Promise<Date> {
  for (let attempt = 1; ; attempt++) {
    const newId = blockIds();
    const ids: string[] = [];
    const failed = new AbortController();
    const abortSignal = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
    const stage = async ({ source, offset, length }: Piece): Promise<void> => {
      const id = newId();
      ids.push(id);
      const { url, ...authorization } = await signer.source(source);
      await target.stageBlockFromURL(id, url, offset, length, { abortSignal, ...authorization });
    };
    await inParallel(pieces.flatMap(cut), blocksAtOnce, stage, failed);
    await beforeCommit?.();
    try {
      const headers = md5 ? { blobHTTPHeaders: { blobContentMD5: md5 } } : {};
      const { lastModified } = await target.commitBlockList(ids, { ...headers, abortSignal, ...tiered(tier) });
      return lastModified ?? new Date();
    } catch (error) {
      if (serviceCode(error) !== 'InvalidBlockList' || attempt >= tries) throw error;
    }
  }
}

/** Whether the service cannot copy on its own: emulators do not offer it, and a fire-walled source refuses it. */
export function cannotCopy(error: unknown): boolean {
  return isStatus(error, 501) || serviceCode(error) === 'CannotVerifyCopySource';
}

function cut({ source, offset, length }: Piece): Piece[] {
  const blocks: Piece[] = [];
  for (let at = 0; at < length; at += copyBlockBytes)
    blocks.push({ source, offset: offset + at, length: Math.min(copyBlockBytes, length - at) });
  return blocks;
}
