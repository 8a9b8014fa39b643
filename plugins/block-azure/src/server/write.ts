/**
 * Writes a blob from a stream of any length: up to one block in a single request, more as uncommitted blocks that a last
 * request makes the blob. Readers see the old blob until then, and blocks that are never committed are dropped by the
 * service. The MD5 of the whole goes with it, so that the etag is the MD5 whatever the size.
 */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { SrvError } from '@srv/kernel';
import { blocksOf, checkedBody, digested, inParallel } from '@srv/lib-stores/block';
import { isStatus, serviceCode } from './errors.js';
import type { BlockBlobClient } from '@azure/storage-blob';
import type { Block, PutOptions } from '@srv/lib-stores/block';

interface WriteOptions extends Pick<PutOptions, 'size' | 'signal' | 'md5'> {
  readonly tier?: string | undefined;
}

interface WrittenBlob {
  readonly lastModified: Date;
  /** Hex. */
  readonly md5: string;
  readonly size: number;
}

const blockBytes = 8 << 20;
const blocksAtOnce = 2;
const empty: Block = { chunks: [], length: 0 };
/** The service's limit. */
const maxBlocks = 50_000;

export async function writeObject(client: BlockBlobClient, body: Readable | Buffer, options: WriteOptions = {}): Promise<WrittenBlob> {
  const { size, signal, tier } = options;
  const failed = new AbortController();
  const abortSignal = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  const { chunks, digest } = digested(checkedBody(body, { ...options, signal: abortSignal }), options.md5);
  const blocks = blocksOf(chunks, blockSize(size));
  const first = await blocks.next();
  const block = first.done ? empty : first.value;
  const second = await blocks.next();
  if (second.done) {
    const md5 = digest();
    const { lastModified } = await client.upload(bodyOf(block), block.length, {
      blobHTTPHeaders: { blobContentMD5: md5 },
      abortSignal,
      ...tiered(tier),
    });
    return { lastModified: lastModified ?? new Date(), md5: md5.toString('hex'), size: block.length };
  }
  const newId = blockIds();
  const ids: string[] = [];
  let written = 0;
  let begun: Date | undefined;
  const stage = async (block: Block): Promise<void> => {
    const id = newId();
    ids.push(id);
    written += block.length;
    const { date } = await client.stageBlock(id, bodyOf(block), block.length, { abortSignal });
    if (date && (!begun || date < begun)) begun = date;
  };
  await inParallel(chain([block, second.value], blocks), blocksAtOnce, stage, failed);
  const md5 = digest();
  const lastModified = await commit(client, ids, { blobHTTPHeaders: { blobContentMD5: md5 }, abortSignal, ...tiered(tier) }, begun);
  return { lastModified, md5: md5.toString('hex'), size: written };
}

/**
 * Another write of the same blob that finished first took the blocks with it. Both writes were under way at the same time,
 * so ours counts as done just before the other one.
 */
async function commit(
  client: BlockBlobClient,
  ids: string[],
  options: Parameters<BlockBlobClient['commitBlockList']>[1],
  begun: Date | undefined,
): Promise<Date> {
  try {
    const { lastModified } = await client.commitBlockList(ids, options);
    return lastModified ?? new Date();
  } catch (error) {
    if (serviceCode(error) !== 'InvalidBlockList') throw error;
    const { lastModified } = await client.getProperties().catch((missing: unknown) => {
      throw isStatus(missing, 404) ? new SrvError('unavailable', 'the object was removed while it was written; write it again') : missing;
    });
    if (!lastModified || !begun || lastModified < begun) throw error;
    return lastModified;
  }
}

/** Created again for each attempt. */
function bodyOf({ chunks }: Block): () => Readable {
  return () => Readable.from(chunks, { objectMode: false });
}

async function* chain<T>(first: readonly T[], rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield* first;
  yield* rest;
}

/** Larger than usual only for bodies that would need too many blocks. */
function blockSize(size = 0): number {
  return Math.max(blockBytes, Math.ceil(size / maxBlocks));
}

/** Ids of one length, as the service demands of all blocks of a blob: 16 random bytes, a counter, zeros up to 64 bytes. */
export function blockIds(): () => string {
  const bytes = Buffer.alloc(64);
  randomBytes(16).copy(bytes);
  let counter = 0;
  return () => {
    bytes.writeUInt32BE(counter++, 16);
    return bytes.toString('base64');
  };
}

export function tiered(tier: string | undefined): { tier?: string } {
  return tier === undefined ? {} : { tier };
}
