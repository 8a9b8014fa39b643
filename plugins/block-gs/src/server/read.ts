/** Reads an object as a stream. A connection that breaks on the way is taken up again where it broke, for the same version. */
import { Readable } from 'node:stream';
import { messageOf } from '@srv/kernel';
import { cancellable, withLength } from '@srv/lib-stores/block';
import { objectPath } from './client.js';
import { RequestFailure, isStatus, toSrvError } from './errors.js';
import type { ByteRange } from '@srv/lib-stores/block';
import type { ObjectPlace } from './address.js';
import type { Api, ApiAnswer } from './client.js';
import type { Encryption } from './encryption.js';

interface ReadOptions {
  readonly encryption: Encryption;
  readonly range?: ByteRange | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Download = ApiAnswer & { readonly body: Readable };

/** Connections that may break in a row without a byte in between. */
const maxResumes = 3;

/** Resolves when the answer has begun. @throws SrvError, as every failure of the stream. */
export async function readObject(api: Api, place: ObjectPlace, options: ReadOptions): Promise<Readable> {
  const { encryption, range, signal } = options;
  const released = new AbortController();
  const abortSignal = signal ? AbortSignal.any([signal, released.signal]) : released.signal;
  const open = (start: number, end: number | undefined, generation?: string): Promise<Download> =>
    encryption.reading('encryption', headers =>
      api.stream({
        path: objectPath(place),
        query: { alt: 'media', ifGenerationMatch: generation },
        headers: {
          // Bytes as they are stored, also when that is compressed.
          'accept-encoding': 'gzip',
          ...headers,
          ...(start > 0 || end !== undefined ? { range: `bytes=${start}-${end ?? ''}` } : {}),
        },
        signal: abortSignal,
      }),
    );
  const start = range?.start ?? 0;
  let first: Download;
  try {
    first = await open(start, range?.end);
  } catch (error) {
    // The range begins after the last byte, or the object is empty.
    if (range && isStatus(error, 416)) return withLength(Readable.from([], { objectMode: false }), 0);
    throw toSrvError(error, place.address, api.endpoint, signal);
  }
  const stream = Readable.from(resumed(first, start, open, api, { address: place.address, signal }), { objectMode: false });
  // The generator cannot be ended while it waits for bytes: break the connection it waits for.
  stream.once('close', () => {
    if (!stream.readableEnded) released.abort();
  });
  const length = first.headers['content-length'];
  return length === undefined ? cancellable(stream, signal) : withLength(cancellable(stream, signal), Number(length));
}

async function* resumed(
  first: Download,
  start: number,
  open: (start: number, end: number, generation?: string) => Promise<Download>,
  api: Api,
  { address, signal }: { readonly address: string; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<Buffer> {
  const announced = first.headers['content-length'];
  const end = announced === undefined ? undefined : start + Number(announced);
  const { 'x-goog-generation': named } = first.headers;
  const generation = typeof named === 'string' ? named : undefined;
  let at = start;
  let { body } = first;
  for (let resumes = 0; ; ) {
    let failure = 'the body ended early';
    const watchdog = setTimeout(() => body.destroy(new Error('no bytes came in time')), api.timeout);
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        at += chunk.length;
        resumes = 0;
        yield chunk;
        watchdog.refresh();
      }
      // The transport does not notice when bytes are missing.
      if (end === undefined || at >= end) return;
    } catch (error) {
      if (end !== undefined && at >= end) return;
      failure = messageOf(error);
    } finally {
      clearTimeout(watchdog);
    }
    if (end === undefined || signal?.aborted || resumes++ >= maxResumes)
      throw toSrvError(new RequestFailure(failure), address, api.endpoint, signal);
    try {
      ({ body } = await open(at, end - 1, generation));
    } catch (error) {
      throw toSrvError(error, address, api.endpoint, signal);
    }
  }
}
