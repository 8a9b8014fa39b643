/**
 * Uploads a large file in parts that go to the object store itself, by pre-signed URLs. A part that fails is sent again by a
 * fresh URL; when that does not help the upload is given up, and nothing of it stays.
 */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ObjectRecord } from '../client.js';
import { meter } from './checksum.js';
import { forEachParallel } from './pool.js';
import { putSigned } from './signed-url.js';
import type { Source } from './sources.js';
import type { UploadSettings, UploadTarget } from './upload.js';

const mebibyte = 2 ** 20;
/** Bytes from which a file is sent in parts; no store takes smaller parts but the last. */
export const smallestPart = 5 * mebibyte;
const maxParts = 10_000;
const parallelParts = 5;
const attempts = 3;

/** A file that can be read anywhere. */
export type LargeSource = Source & { readonly size: number; openRange(start: number, end: number): Readable };

export function isLarge(source: Source): source is LargeSource {
  return source.openRange !== undefined && source.size !== undefined && source.size >= smallestPart;
}

interface Part {
  readonly number: number;
  /** First and last byte. */
  readonly start: number;
  readonly end: number;
  /** The URL for the first attempt. */
  readonly url: string | undefined;
}

interface SentPart {
  readonly part_number: number;
  readonly etag: string;
  /** What was sent. */
  readonly md5: string;
}

/** @throws Error when a part cannot be sent, or the object store has other bytes than were sent. */
export async function uploadInParts(source: LargeSource, target: UploadTarget, settings: UploadSettings): Promise<ObjectRecord> {
  const { api, progress, contentType, metadata } = settings;
  const partSize = partSizeFor(source.size);
  const count = Math.ceil(source.size / partSize);
  const begun = await api.createPresignMultipartUpload({ ...target, parts: count });
  const upload = { ...target, uploadId: begun.upload_id };
  const { physical_address } = begun;
  try {
    const sent: SentPart[] = [];
    const parts = partsOf(source.size, partSize, begun.presigned_urls ?? []);
    await forEachParallel(parts, parallelParts, async part => {
      const freshUrl = async (): Promise<string> =>
        (await api.uploadPart({ ...upload, partNumber: part.number, body: { physical_address } })).presigned_url;
      sent.push(await sendPart(source, part, freshUrl, settings));
    });
    sent.sort((a, b) => a.part_number - b.part_number);
    const stored = await api.completePresignMultipartUpload({
      ...upload,
      body: {
        physical_address,
        parts: sent.map(({ part_number, etag }) => ({ part_number, etag })),
        ...(contentType ? { content_type: contentType } : {}),
        ...(metadata ? { user_metadata: metadata } : {}),
      },
    });
    verifyWhole(source, sent, stored);
    progress.fileDone();
    return stored;
  } catch (error) {
    // The failure that led here matters more.
    await api.abortPresignMultipartUpload({ ...upload, body: { physical_address } }).catch(() => undefined);
    throw error;
  }
}

/** Bytes; grows with the file, so that it has no more parts than stores take. */
export function partSizeFor(size: number): number {
  return Math.max(smallestPart, Math.ceil(size / maxParts / mebibyte) * mebibyte);
}

async function* partsOf(size: number, partSize: number, urls: readonly string[]): AsyncGenerator<Part> {
  for (let start = 0, number = 1; start < size; start += partSize, number++)
    yield { number, start, end: Math.min(start + partSize, size) - 1, url: urls[number - 1] };
}

async function sendPart(
  source: LargeSource,
  { number, start, end, url }: Part,
  freshUrl: () => Promise<string>,
  { progress, preSign, signal }: UploadSettings,
): Promise<SentPart> {
  for (let attempt = 1; ; attempt++) {
    const metered = meter(bytes => progress.advance(bytes));
    try {
      const body = source.openRange(start, end).on('error', error => metered.stream.destroy(error));
      const to = attempt === 1 && url !== undefined ? url : await freshUrl();
      const answer = await putSigned(to, body.pipe(metered.stream), end - start + 1, { signal, headers: preSign.headers });
      const etag = answer.etag?.replace(/["\s]/g, '');
      if (!etag) throw new Error(`the object store returned no ETag for part ${number}`);
      return { part_number: number, etag, md5: metered.md5() };
    } catch (error) {
      progress.advance(-metered.bytes());
      if (signal.aborted || attempt === attempts) throw error;
    }
  }
}

/** A checksum of the form `<md5 of md5s>-<parts>` tells whether every part arrived as it was sent. */
function verifyWhole({ name }: Source, sent: readonly SentPart[], { checksum }: ObjectRecord): void {
  if (!/^[0-9a-f]{32}-\d+$/.test(checksum)) return;
  const whole = createHash('md5');
  for (const { md5 } of sent) whole.update(Buffer.from(md5, 'hex'));
  const expected = `${whole.digest('hex')}-${sent.length}`;
  if (checksum !== expected)
    throw new Error(`${name}: the object store has other bytes than were sent (${checksum}, sent ${expected}); upload it again`);
}
