/**
 * Uploads a large file in parts that go to the object store itself, by pre-signed URLs. A part that fails is sent again with a
 * fresh URL. An interrupted upload keeps its parts, and the same command resumes it; a rejected one is aborted, and nothing
 * of it remains.
 */

import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { forEachParallel, isAnswerError } from '@srv/lib-commands';
import { checkStored, meter } from './checksum.js';
import { UnreadableSource } from './file-range.js';
import { SignedRequestError, isRefusalStatus, putSigned, willExpire } from './signed-url.js';
import { UploadRecord } from './upload-record.js';
import type { Readable } from 'node:stream';
import type { ObjectStats as ObjectRecord } from '../operations/client.js';
import type { Source } from './sources.js';
import type { BegunUpload, SentPart, UploadRoute } from './upload-record.js';
import type { UploadSettings, UploadTarget } from './upload-settings.js';

const mebibyte = 2 ** 20;
/** Bytes from which a file is sent in parts; no store takes smaller parts but the last. */
const smallestPart = 5 * mebibyte;
const maxParts = 10_000;
const parallelParts = 5;
const attempts = 3;

/** A file that can be read anywhere. */
type LargeSource = Source & { readonly size: number; openRange(start: number, end: number): Readable };

export function isLarge(source: Source): source is LargeSource {
  return source.openRange !== undefined && source.size !== undefined && source.size >= smallestPart;
}

interface Part {
  readonly number: number;
  /** First and last byte. */
  readonly start: number;
  readonly end: number;
}

/** An upload under way. */
interface PartsUpload extends Pick<BegunUpload, 'uploadId' | 'physicalAddress' | 'partSize'> {
  /** For first attempts, by part. */
  readonly urls: readonly string[];
  /** Stored already. */
  readonly kept: readonly SentPart[];
  /** Absent: the upload cannot be resumed later. */
  readonly record?: UploadRecord | undefined;
}

/** @throws Error when a part cannot be sent, or the object store has other bytes than were sent. */
export async function uploadInParts(source: LargeSource, target: UploadTarget, settings: UploadSettings): Promise<ObjectRecord> {
  const interrupted = await resume(source, target, settings);
  if (interrupted) {
    try {
      return await send(source, target, settings, interrupted);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // The server no longer knows it.
    }
  }
  return send(source, target, settings, await begin(source, target, settings));
}

/** Bytes; grows with the file, so that it has no more parts than stores take. */
function partSizeFor(size: number): number {
  return Math.max(smallestPart, Math.ceil(size / maxParts / mebibyte) * mebibyte);
}

async function begin(source: LargeSource, target: UploadTarget, { api, resumption }: UploadSettings): Promise<PartsUpload> {
  const { size, file } = source;
  const partSize = partSizeFor(size);
  const answer = await api.createPresignMultipartUpload({ ...target, parts: Math.ceil(size / partSize) });
  const begun = { partSize, uploadId: answer.upload_id, physicalAddress: answer.physical_address };
  const route = routeOf(source, target, api);
  const record =
    resumption && file && route ? await UploadRecord.begin(resumption.folder, route, { ...begun, size, mtime: file.mtime }) : undefined;
  return { ...begun, urls: answer.presigned_urls ?? [], kept: [], record };
}

/** Parts count as stored when the file still holds what was sent. An upload of what the file was before is given up. */
async function resume(source: LargeSource, target: UploadTarget, settings: UploadSettings): Promise<PartsUpload | undefined> {
  const { api, resumption, progress, signal } = settings;
  const route = routeOf(source, target, api);
  const record = resumption && route && (await UploadRecord.resume(resumption.folder, route));
  if (!resumption || !record) return undefined;
  const upload = { ...record.begun, urls: [], record };
  if (record.begun.size !== source.size || record.begun.mtime !== source.file?.mtime) {
    await giveUp(target, settings, { ...upload, kept: [] });
    return undefined;
  }
  const kept = await keptParts(source, record, signal).catch(async (error: unknown) => {
    await record.release();
    throw error;
  });
  progress.advance(bytesOf(kept, source, upload));
  resumption.tell(`resuming the interrupted upload of ${source.name}: ${kept.length} of ${countOf(source, upload)} parts are stored`);
  return { ...upload, kept };
}

async function keptParts(source: LargeSource, { begun, parts }: UploadRecord, signal: AbortSignal): Promise<SentPart[]> {
  const kept: SentPart[] = [];
  const sent = new Map(parts.map(part => [part.part_number, part]));
  for (const part of partsOf(source.size, begun.partSize)) {
    const stored = sent.get(part.number);
    if (stored !== undefined && stored.md5 === (await md5OfRange(source, part, signal))) kept.push(stored);
  }
  return kept;
}

function routeOf({ file }: Source, { repository, branch, path }: UploadTarget, api: UploadSettings['api']): UploadRoute | undefined {
  return file && { server: api.endpoint.href, repository, branch, path, file: file.path };
}

async function send(source: LargeSource, target: UploadTarget, settings: UploadSettings, upload: PartsUpload): Promise<ObjectRecord> {
  const { api, progress, resumption } = settings;
  const { uploadId, physicalAddress: physical_address, partSize, record, urls } = upload;
  const sent = [...upload.kept];
  const kept = new Set(sent.map(part => part.part_number));
  const urlOf = async ({ number }: Part, attempt: number): Promise<string> => {
    const given = attempt === 1 ? urls[number - 1] : undefined;
    if (given !== undefined && !willExpire(given)) return given;
    return (await api.uploadPart({ ...target, uploadId, partNumber: number, body: { physical_address } })).presigned_url;
  };
  try {
    await forEachParallel(missing(source.size, partSize, kept), parallelParts, async part => {
      const done = await sendPart(source, part, urlOf, settings);
      sent.push(done);
      await record?.add(done);
    });
    sent.sort((a, b) => a.part_number - b.part_number);
    const stored = await complete(target, settings, upload, sent);
    await record?.remove();
    progress.fileDone();
    verifyWhole(source, sent, stored);
    return stored;
  } catch (error) {
    if (error instanceof DifferentBytes) throw error;
    progress.advance(-bytesOf(sent, source, upload));
    const noted = sent.length - (record?.unnoted ?? 0);
    if (!record || noted === 0 || isRefusal(error) || error instanceof UnreadableSource) await giveUp(target, settings, upload);
    else {
      await record.release();
      const count = countOf(source, upload);
      resumption?.tell(`${noted} of ${count} parts of ${source.name} are stored; within a day, the same command sends only the rest`);
    }
    throw error;
  }
}

function bytesOf(parts: readonly SentPart[], { size }: LargeSource, { partSize }: Pick<PartsUpload, 'partSize'>): number {
  return parts.reduce((sum, { part_number: number }) => sum + Math.min(partSize, size - (number - 1) * partSize), 0);
}

function countOf({ size }: LargeSource, { partSize }: Pick<PartsUpload, 'partSize'>): number {
  return Math.ceil(size / partSize);
}

async function* missing(size: number, partSize: number, kept: ReadonlySet<number>): AsyncGenerator<Part> {
  for (const part of partsOf(size, partSize)) if (!kept.has(part.number)) yield part;
}

function* partsOf(size: number, partSize: number): Generator<Part> {
  for (let start = 0, number = 1; start < size; start += partSize, number++)
    yield { number, start, end: Math.min(start + partSize, size) - 1 };
}

async function sendPart(
  source: LargeSource,
  part: Part,
  urlOf: (part: Part, attempt: number) => Promise<string>,
  { progress, preSign, signal }: UploadSettings,
): Promise<SentPart> {
  const { number, start, end } = part;
  for (let attempt = 1; ; attempt++) {
    const metered = meter(bytes => progress.advance(bytes));
    try {
      const url = await urlOf(part, attempt);
      const body = source.openRange(start, end).on('error', error => metered.stream.destroy(error));
      const headers = await putSigned(url, body.pipe(metered.stream), end - start + 1, { signal, headers: preSign.headers });
      const md5 = metered.md5();
      const etag = headers.etag?.replace(/["\s]/g, '');
      if (!etag) throw new Error(`the object store returned no ETag for part ${number}`);
      checkStored(`part ${number} of ${source.name}`, md5, etag, headers);
      return { part_number: number, etag, md5 };
    } catch (error) {
      progress.advance(-metered.bytes());
      if (signal.aborted || attempt === attempts || error instanceof UnreadableSource) throw error;
    }
  }
}

/** An answer may have been lost: an upload that is not known any more is complete when its object is there. */
async function complete(
  target: UploadTarget,
  { api, contentType, metadata }: UploadSettings,
  { uploadId, physicalAddress: physical_address }: PartsUpload,
  sent: readonly SentPart[],
): Promise<ObjectRecord> {
  const body = {
    physical_address,
    parts: sent.map(({ part_number, etag }) => ({ part_number, etag })),
    content_type: contentType || undefined,
    user_metadata: metadata,
  };
  try {
    return await api.completePresignMultipartUpload({ ...target, uploadId, body });
  } catch (error) {
    if (!isAnswerError(error, 404)) throw error;
    const { repository, branch: ref, path } = target;
    const there = await api.statObject({ repository, ref, path }).catch(() => undefined);
    if (there?.checksum !== checksumOf(sent) || (contentType && there.content_type !== contentType)) throw error;
    return there;
  }
}

/** Nothing stays of it, here or there. What led here matters more than a failure of this. */
async function giveUp(target: UploadTarget, { api }: UploadSettings, { uploadId, physicalAddress, record }: PartsUpload): Promise<void> {
  await record?.remove();
  await api.abortPresignMultipartUpload({ ...target, uploadId, body: { physical_address: physicalAddress } }).catch(() => undefined);
}

/** Sending the same again would change nothing. */
function isRefusal(error: unknown): boolean {
  const status = isAnswerError(error) ? error.status : error instanceof SignedRequestError ? error.statusCode : 0;
  return isRefusalStatus(status);
}

async function md5OfRange(source: LargeSource, { start, end }: Part, signal: AbortSignal): Promise<string> {
  const hash = createHash('md5');
  await pipeline(source.openRange(start, end), hash, { signal });
  return hash.digest('hex');
}

/** What stores give an object of these parts. */
function checksumOf(sent: readonly SentPart[]): string {
  const whole = createHash('md5');
  for (const { md5 } of sent) whole.update(Buffer.from(md5, 'hex'));
  return `${whole.digest('hex')}-${sent.length}`;
}

/** If tags of parts are MD5s, a checksum `<md5 of md5s>-<parts>` shows whether every part arrived unchanged. */
function verifyWhole({ name }: Source, sent: readonly SentPart[], { checksum }: ObjectRecord): void {
  if (!/^[0-9a-f]{32}-\d+$/.test(checksum) || sent.some(({ etag, md5 }) => etag !== md5)) return;
  const expected = checksumOf(sent);
  if (checksum !== expected)
    throw new DifferentBytes(`${name}: the object store has other bytes than were sent (${checksum}, sent ${expected}); upload it again`);
}

class DifferentBytes extends Error {}
