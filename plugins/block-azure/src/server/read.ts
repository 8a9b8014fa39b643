/** Reads a blob as a stream. A connection that breaks on the way is taken up again where it broke, for the same version. */
import { Readable } from 'node:stream';
import { cancellable, withLength } from '@srv/lib-stores/block';
import { isStatus, toSrvError } from './errors.js';
import type { BlobDownloadResponseParsed } from '@azure/storage-blob';
import type { SrvError } from '@srv/kernel';
import type { ByteRange } from '@srv/lib-stores/block';
import type { BlobPlace } from './address.js';
import type { Accounts } from './client.js';

interface ReadOptions {
  readonly range?: ByteRange | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Resuming {
  readonly explain: (error: unknown) => SrvError;
  /** Milliseconds without a byte after which a connection counts as broken. */
  readonly tryTimeout: number;
  readonly signal: AbortSignal | undefined;
}

/** Connections that may break in a row without a byte in between. */
const maxResumes = 3;

/** Resolves when the answer has begun. @throws SrvError, as every failure of the stream. */
export async function readObject(accounts: Accounts, place: BlobPlace, { range, signal }: ReadOptions): Promise<Readable> {
  const client = accounts.blob(place);
  const explain = (error: unknown): SrvError => toSrvError(error, place.address, accounts.endpoint(place.account), signal);
  const released = new AbortController();
  const abortSignal = signal ? AbortSignal.any([signal, released.signal]) : released.signal;
  const open = async (at: number, count: number | undefined, ifMatch?: string): Promise<BlobDownloadResponseParsed> => {
    const conditions = ifMatch === undefined ? {} : { conditions: { ifMatch } };
    const response = await client.download(at, count, { abortSignal, maxRetryRequests: 0, ...conditions });
    // Breaking the connection fails the client's stream, which may not have a reader yet or any more.
    response.readableStreamBody?.on('error', () => undefined);
    return response;
  };
  const start = range?.start ?? 0;
  let first: BlobDownloadResponseParsed;
  try {
    first = await open(start, range && range.end - range.start + 1);
  } catch (error) {
    // The range begins after the last byte, or the blob is empty.
    if (range && isStatus(error, 416)) return withLength(Readable.from([], { objectMode: false }), 0);
    throw explain(error);
  }
  const stream = Readable.from(resumed(first, start, open, { explain, tryTimeout: accounts.tryTimeout, signal }), { objectMode: false });
  // The generator cannot be ended while it waits for bytes: break the connection it waits for.
  stream.once('close', () => {
    if (!stream.readableEnded) released.abort();
  });
  const { contentLength } = first;
  return contentLength === undefined ? cancellable(stream, signal) : withLength(cancellable(stream, signal), contentLength);
}

async function* resumed(
  first: BlobDownloadResponseParsed,
  start: number,
  open: (at: number, count: number | undefined, ifMatch?: string) => Promise<BlobDownloadResponseParsed>,
  { explain, tryTimeout, signal }: Resuming,
): AsyncGenerator<Buffer> {
  const end = start + (first.contentLength ?? 0);
  let at = start;
  let response = first;
  for (let resumes = 0; ; ) {
    let failure: unknown;
    const body = response.readableStreamBody as Readable | undefined;
    const watchdog = setTimeout(() => body?.destroy(new Error('no bytes came in time')), tryTimeout);
    try {
      for await (const chunk of (body ?? []) as AsyncIterable<Buffer>) {
        at += chunk.length;
        resumes = 0;
        yield chunk;
        watchdog.refresh();
      }
    } catch (error) {
      failure = error;
    } finally {
      clearTimeout(watchdog);
    }
    if (at >= end) return;
    if (signal?.aborted || resumes++ >= maxResumes) throw explain(failure);
    try {
      response = await open(at, end - at, first.etag);
    } catch (error) {
      throw explain(error);
    }
  }
}
