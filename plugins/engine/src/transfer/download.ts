/** Downloads one object to a file, checked by its length, and by its MD5 where that is known, before it takes its place. */

import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { forEachParallel, replaceFile } from '@srv/lib-commands';
import { md5, md5Of, md5OfFile } from './checksum.js';
import { Prefix } from './prefix.js';
import { Restart, downloadResumed, isFinal, openInTime, readBody } from './resumed-download.js';
import { SignedObject } from './signed-object.js';
import { smallFile, writeSmall } from './small-files.js';
import { WrittenHash } from './written-hash.js';
import type { Readable } from 'node:stream';
import type { ProgressBar } from '@srv/lib-commands';
import type { Client } from '../operations/client.js';
import type { PreSignMode } from './pre-sign.js';
import type { ResumeLimits } from './resumed-download.js';

export interface DownloadSource {
  readonly repository: string;
  readonly ref: string;
  readonly path: string;
  /** Bytes, when known. */
  readonly size?: number;
}

export interface DownloadSettings extends ResumeLimits {
  readonly api: Client;
  readonly preSign: PreSignMode;
  readonly progress: ProgressBar;
  /** Bytes per request of large objects. */
  readonly partSize: number;
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

/** The first answer says how many bytes there are and whose they are; later ones continue it. */
async function downloadWhole(source: DownloadSource, file: string, settings: DownloadSettings): Promise<number> {
  const { verify = true } = settings;
  const first = await openInTime(settings, signal => openObject(source, settings, 0, signal));
  const length = first.headers['content-length'];
  const expected = verify ? md5Of(first.headers.etag) : undefined;
  const write = length !== undefined && Number(length) <= smallFile ? writeHeld : writeStreamed;
  let advanced = 0;
  const onBytes = (count: number): void => {
    advanced += count;
    settings.progress.advance(count);
  };
  const size = Number(length ?? 0);
  const writing = { source, settings, first, file, onBytes, size, hashed: expected !== undefined };
  const received = await write(writing)
    .then(written => {
      checkLength(source.path, written.bytes, length);
      checkMd5(source.path, written.md5, expected);
      return written;
    })
    .catch((error: unknown) => {
      settings.progress.advance(-advanced);
      throw error;
    });
  return received.bytes;
}

interface OpenObject {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
  readonly status: number;
}

function openObject(
  { repository, ref, path }: DownloadSource,
  { api, preSign }: DownloadSettings,
  from: number,
  signal: AbortSignal,
): Promise<OpenObject> {
  const input = { repository, ref, path, ...(preSign.enabled ? { presign: true } : {}) };
  return api.getObject(input, { signal, headers: from > 0 ? { range: `bytes=${from}-` } : undefined });
}

/** The bytes of the same object from `from` on. @throws Restart when the server has another one, or sends it from the start. */
async function continueObject(writing: Writing, from: number, signal: AbortSignal): Promise<Readable> {
  const { source, settings, first } = writing;
  const { headers, body, status } = await openObject(source, settings, from, signal);
  const isContinued = from === 0 ? status === 200 : status === 206 && (headers['content-range'] ?? '').startsWith(`bytes ${from}-`);
  if (isContinued && headers.etag === first.headers.etag) return body;
  body.destroy();
  throw new Restart(`${source.path}: the object was replaced while it was downloaded`);
}

interface Written {
  readonly bytes: number;
  /** Absent: it was not requested. */
  readonly md5: string | undefined;
}

interface Writing {
  readonly source: DownloadSource;
  readonly settings: DownloadSettings;
  readonly first: OpenObject;
  readonly file: string;
  readonly onBytes: (count: number) => void;
  /** Bytes; 0: not known. */
  readonly size: number;
  /** Whether its MD5 is wanted. */
  readonly hashed: boolean;
}

async function writeStreamed(writing: Writing): Promise<Written> {
  const { first, file, settings, onBytes, size, hashed } = writing;
  // It may fail before anything listens.
  first.body.on('error', () => undefined);
  const handle = await open(file, 'w');
  const inThread = hashed ? await WrittenHash.offer(file, size) : undefined;
  let done = 0;
  try {
    const hash = hashed && !inThread ? createHash('md5') : undefined;
    const { bytes, isResumed } = await downloadResumed({
      ...settings,
      handle,
      start: 0,
      end: size > 0 ? size : undefined,
      open: async (from, signal) =>
        from === 0 && done === 0 && !first.body.destroyed ? first.body : continueObject(writing, from, signal),
      onBytes(count) {
        done += count;
        onBytes(count);
        inThread?.written(done);
      },
      hash,
    });
    const md5OfAll = (): Promise<string> | string | undefined => (isResumed ? md5OfFile(file, settings.signal) : hash?.digest('hex'));
    return { bytes, md5: hashed ? await (inThread?.digest(bytes) ?? md5OfAll()) : undefined };
  } finally {
    await Promise.all([handle.close(), inThread?.close()]);
  }
}

/** Small bodies are written at once, when they are complete. */
async function writeHeld({ first, file, settings, onBytes, hashed }: Writing): Promise<Written> {
  const bytes = await readBody(settings, first.body);
  await writeSmall(file, bytes);
  onBytes(bytes.length);
  return { bytes: bytes.length, md5: hashed ? md5(bytes) : undefined };
}

/** Parts of a large object are fetched from its signed URL side by side. */
async function downloadParts({ repository, ref, path }: DownloadSource, file: string, settings: DownloadSettings): Promise<number> {
  const { api, progress, signal, partSize, verify = true } = settings;
  const object = await SignedObject.find({ api, repository, ref, path, signal });
  const { size, checksum } = object;
  const handle = await open(file, 'w');
  const expected = verify ? md5Of(checksum) : undefined;
  const hash = expected === undefined ? undefined : await WrittenHash.offer(file, size);
  const complete = new Prefix();
  let done = 0;
  try {
    await handle.truncate(size);
    await forEachParallel(parts(size, partSize), partParallelism, async ({ start, end }) => {
      await downloadResumed({
        ...settings,
        handle,
        start,
        end: end + 1,
        open: (from, ending) => object.openRange(from, end, ending),
        onBytes(count) {
          done += count;
          progress.advance(count);
        },
      });
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

/** From the start again, after what cannot be resumed. */
async function withRetries<T>({ attempts, signal }: DownloadSettings, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const isRepeated = error instanceof Restart || !(isFinal(error) || error instanceof ChecksumError);
      if (!isRepeated || signal.aborted || attempt >= attempts) throw error;
      await sleep(firstWaitMs * 2 ** (attempt - 1), undefined, { signal });
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
