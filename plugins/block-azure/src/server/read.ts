/** Reads a blob as a stream. */
import { Readable } from 'node:stream';
import { resumedRead } from '@srv/lib-stores/block';
import { isStatus, toSrvError } from './errors.js';
import type { ByteRange } from '@srv/lib-stores/block';
import type { BlobPlace } from './address.js';
import type { Accounts } from './client.js';

interface ReadOptions {
  readonly range?: ByteRange | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Resolves when the answer has begun. @throws SrvError, as every failure of the stream. */
export function readObject(accounts: Accounts, place: BlobPlace, { range, signal }: ReadOptions): Promise<Readable> {
  const client = accounts.blob(place);
  const explain = (error: unknown): Error => toSrvError(error, place.address, accounts.endpoint(place.account), signal);
  return resumedRead({
    range,
    signal,
    idleTimeout: accounts.tryTimeout,
    open: async (wanted, { version, signal: abortSignal }) => {
      const conditions = version === undefined ? {} : { conditions: { ifMatch: version } };
      const [offset, count] = wanted ? [wanted.start, wanted.end - wanted.start + 1] : [0, undefined];
      const response = await client.download(offset, count, { abortSignal, maxRetryRequests: 0, ...conditions });
      const body = (response.readableStreamBody ?? Readable.from([])) as Readable;
      // Breaking the connection fails the client's stream, which may not have a reader yet or any more.
      body.on('error', () => undefined);
      return { body, length: response.contentLength, version: response.etag };
    },
    isPastEnd: error => isStatus(error, 416),
    explain,
    explainBreak: explain,
  });
}
