/**
 * Writes an object from a stream of any length: up to one block in a single request, more in a resumable upload, whose object
 * appears with the last block. The MD5 goes with the end, and the service refuses what does not agree with it.
 */
import { randomUUID } from 'node:crypto';
import { blocksOf, checkedBody, digested } from '@srv/lib-stores/block';
import { blockOf } from './client.js';
import { ResumableUpload } from './resumable-upload.js';
import type { Readable } from 'node:stream';
import type { Block, BucketKey } from '@srv/lib-stores/block';
import type { Api } from './client.js';
import type { WriteOptions } from './options.js';
import type { ObjectResource } from './resource.js';

/** A multiple of 256 KiB, as the service demands of all blocks but the last. */
const blockBytes = 8 << 20;

export async function writeObject(api: Api, object: BucketKey, body: Readable | Buffer, options: WriteOptions): Promise<ObjectResource> {
  const { signal, size, md5 } = options;
  const failed = new AbortController();
  const abortSignal = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  const checked = checkedBody(body, { size, signal: abortSignal });
  const { chunks, digest } = digested(checked, md5);
  const blocks = blocksOf(chunks, blockBytes);
  try {
    const first = await blocks.next();
    const block = first.done ? blockOf() : first.value;
    let ahead = await blocks.next();
    if (ahead.done) {
      return await insert(api, object, block, digest().toString('base64'), { ...options, signal: abortSignal });
    }
    const upload = await ResumableUpload.begin(api, object, { ...options, signal: abortSignal });
    try {
      let current = block;
      while (!ahead.done) {
        // Gathered while the one before it is sent.
        const gathering = blocks.next();
        gathering.catch(() => undefined);
        await upload.send(current);
        current = ahead.value;
        ahead = await gathering;
      }
      return await upload.finish(current, digest().toString('base64'));
    } catch (error) {
      failed.abort(error);
      await upload.cancel();
      throw error;
    }
  } finally {
    // What hashes a body that was not read to its end ends, too.
    blocks.return().catch(() => undefined);
  }
}

async function insert(
  api: Api,
  { bucket, key }: BucketKey,
  { chunks }: Block,
  md5Hash: string,
  { encryption, storageClass, metadata, signal }: WriteOptions,
): Promise<ObjectResource> {
  const boundary = randomUUID();
  const facts = JSON.stringify({ name: key, md5Hash, storageClass, metadata });
  const head = `--${boundary}\r\ncontent-type: application/json; charset=UTF-8\r\n\r\n${facts}\r\n--${boundary}\r\ncontent-type: application/octet-stream\r\n\r\n`;
  return api.object({
    method: 'POST',
    path: `/upload/storage/v1/b/${encodeURIComponent(bucket)}/o`,
    query: { uploadType: 'multipart', name: key, kmsKeyName: encryption.kmsKeyName },
    headers: { 'content-type': `multipart/related; boundary=${boundary}`, ...encryption.headers },
    body: blockOf(Buffer.from(head), ...chunks, Buffer.from(`\r\n--${boundary}--\r\n`)),
    signal,
  });
}
