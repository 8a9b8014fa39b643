/** Downloads one object to a file, checked by its length, and by its MD5 where that is known, before it takes its place. */
import { forEachParallel, isAnswerError, replaceFile } from '@srv/lib-commands';
import type { ProgressBar } from '@srv/lib-commands';
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from '@srv/lib-engine-operations/client';
import { md5, md5Of, md5OfFile } from './checksum.js';
import { FileWriter } from './file-writer.js';
import type { PreSignMode } from './pre-sign.js';
import { Prefix } from './prefix.js';
import { getSignedRange } from './signed-url.js';
import { smallFile, writeSmall } from './small-files.js';
import { WrittenHash } from './written-hash.js';

export interface DownloadSource {
  readonly repository: string;
  readonly ref: string;
  readonly path: string;
  /** Bytes, when known. */
  readonly size?: number;
}

export interface DownloadSettings {
  readonly api: Client;
  readonly preSign: PreSignMode;
  readonly progress: ProgressBar;
  readonly signal: AbortSignal;
  /** Bytes per request of large objects. */
  readonly partSize: number;
  /** Attempts when the connection breaks in the middle. */
  readonly attempts: number;
  /** Whether MD5s are compared. Default: true. */
  readonly verify?: boolean;
}

/** Parts of one object under way. */
const partParallelism = 10;
const firstWaitMs = 100;

/** @returns bytes written. */
export async function download(source: DownloadSource, target: string, settings: DownloadSettings): Promise<number> {
  let bytes = 0;
  await replaceFile(target, async temporary => {
    bytes = await downloadInto(source, temporary, settings);
  });
  return bytes;
}

/** Writes to `file` itself, which holds anything after a failure. @returns bytes written. */
export async function downloadInto(source: DownloadSource, file: string, settings: DownloadSettings): Promise<number> {
  const inParts = settings.preSign.enabled && source.size !== undefined && source.size >= settings.partSize;
  const bytes = await withRetries(settings, () =>
    inParts ? downloadParts(source, file, settings) : downloadWhole(source, file, settings),
  );
  settings.progress.fileDone();
  return bytes;
}

async function downloadWhole(
  { repository, ref, path }: DownloadSource,
  file: string,
  { api, preSign, progress, signal, verify = true }: DownloadSettings,
): Promise<number> {
  const { headers, body } = await api.getObject({ repository, ref, path, ...(preSign.enabled ? { presign: true } : {}) }, { signal });
  const length = headers['content-length'];
  const expected = verify ? md5Of(headers.etag) : undefined;
  const write = length !== undefined && Number(length) <= smallFile ? writeHeld : writeStreamed;
  let advanced = 0;
  const onBytes = (count: number): void => {
    advanced += count;
    progress.advance(count);
  };
  const received = await write({ body, file, signal, onBytes, size: Number(length ?? 0), hashed: expected !== undefined })
    .then(written => {
      checkLength(path, written.bytes, length);
      checkMd5(path, written.md5, expected);
      return written;
    })
    .catch((error: unknown) => {
      progress.advance(-advanced);
      throw error;
    });
  return received.bytes;
}

interface Written {
  readonly bytes: number;
  /** Absent: nobody asked for it. */
  readonly md5: string | undefined;
}

interface Writing {
  readonly body: Readable;
  readonly file: string;
  readonly signal: AbortSignal;
  readonly onBytes: (count: number) => void;
  /** Bytes; 0: not known. */
  readonly size: number;
  /** Whether its MD5 is wanted. */
  readonly hashed: boolean;
}

async function writeStreamed({ body, file, signal, onBytes, size, hashed }: Writing): Promise<Written> {
  // It may fail before the pipeline listens, which finds it destroyed then.
  body.on('error', () => undefined);
  const handle = await open(file, 'w');
  const inThread = hashed ? await WrittenHash.offer(file, size) : undefined;
  try {
    const hash = hashed && !inThread ? createHash('md5') : undefined;
    const writer = new FileWriter(handle, {
      onBytes(count) {
        onBytes(count);
        inThread?.written(writer.bytesWritten);
      },
      hash,
    });
    await pipeline(body, writer, { signal });
    const bytes = writer.bytesWritten;
    return { bytes, md5: inThread ? await inThread.digest(bytes) : hash?.digest('hex') };
  } finally {
    await Promise.all([handle.close(), inThread?.close()]);
  }
}

/** Small bodies are written at once, when they are complete. */
async function writeHeld({ body, file, onBytes, hashed }: Writing): Promise<Written> {
  const chunks: Buffer[] = [];
  for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  await writeSmall(file, bytes);
  onBytes(bytes.length);
  return { bytes: bytes.length, md5: hashed ? md5(bytes) : undefined };
}

/** Parts of a large object are fetched from its signed URL side by side. */
async function downloadParts(
  { repository, ref, path }: DownloadSource,
  file: string,
  { api, progress, signal, partSize, verify = true }: DownloadSettings,
): Promise<number> {
  const { physical_address: url, size_bytes: size = 0, checksum } = await api.statObject({ repository, ref, path, presign: true });
  const handle = await open(file, 'w');
  const expected = verify ? md5Of(checksum) : undefined;
  const hash = expected === undefined ? undefined : await WrittenHash.offer(file, size);
  const complete = new Prefix();
  let done = 0;
  try {
    await handle.truncate(size);
    await forEachParallel(parts(size, partSize), partParallelism, async ({ start, end }) => {
      const body = await getSignedRange(url, start, end, signal);
      const writer = new FileWriter(handle, {
        position: start,
        onBytes(count) {
          done += count;
          progress.advance(count);
        },
      });
      await pipeline(body, writer, { signal });
      const missing = end + 1 - start - writer.bytesWritten;
      if (missing !== 0) throw new Error(`${path}: the connection ended ${missing} bytes early`);
      hash?.written(complete.add(start, end + 1));
    });
    if (expected !== undefined) checkMd5(path, await (hash?.digest(size) ?? md5OfFile(file, signal)), expected);
  } catch (error) {
    progress.advance(-done);
    throw error;
  } finally {
    await Promise.all([handle.close(), hash?.close()]);
  }
  return size;
}

async function* parts(size: number, partSize: number): AsyncGenerator<{ start: number; end: number }> {
  for (let start = 0; start < size; start += partSize) yield { start, end: Math.min(start + partSize, size) - 1 };
}

/** Answers of the server are final; a broken connection is not. */
async function withRetries<T>({ attempts, signal }: DownloadSettings, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const final = isAnswerError(error) || error instanceof ChecksumError || signal.aborted || attempt >= attempts;
      if (final) throw error;
      await new Promise(resolve => {
        setTimeout(resolve, firstWaitMs * 2 ** (attempt - 1));
      });
    }
  }
}

class ChecksumError extends Error {}

function checkLength(path: string, received: number, length: string | undefined): void {
  if (length !== undefined && Number(length) !== received) throw new Error(`${path}: received ${received} of ${length} bytes`);
}

function checkMd5(path: string, received: string | undefined, expected: string | undefined): void {
  if (expected !== undefined && expected !== received)
    throw new ChecksumError(`${path}: the bytes received have MD5 ${received}, the object has ${expected}; nothing was replaced`);
}
