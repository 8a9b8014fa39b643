/** Reads an object as a stream. */
import { messageOf } from '@srv/kernel';
import { rangeHeader, resumedRead } from '@srv/lib-stores/block';
import { objectPath } from './client.js';
import { RequestFailure, isStatus, toSrvError } from './errors.js';
import type { Readable } from 'node:stream';
import type { ByteRange } from '@srv/lib-stores/block';
import type { ObjectPlace } from './address.js';
import type { Api } from './client.js';
import type { Encryption } from './encryption.js';

interface ReadOptions {
  readonly encryption: Encryption;
  readonly range?: ByteRange | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Resolves when the answer has begun. @throws SrvError, as every failure of the stream. */
export function readObject(api: Api, place: ObjectPlace, { encryption, range, signal }: ReadOptions): Promise<Readable> {
  const explain = (error: unknown): Error => toSrvError(error, place.address, api.endpoint, signal);
  return resumedRead({
    range,
    signal,
    idleTimeout: api.timeout,
    open: async (wanted, { version, signal: abortSignal }) => {
      const { body, headers } = await encryption.reading('encryption', encryptionHeaders =>
        api.stream({
          path: objectPath(place),
          query: { alt: 'media', ifGenerationMatch: version },
          headers: {
            // Bytes as they are stored, also when that is compressed.
            'accept-encoding': 'gzip',
            ...encryptionHeaders,
            ...(wanted ? { range: rangeHeader(wanted) } : {}),
          },
          signal: abortSignal,
        }),
      );
      const { 'content-length': length, 'x-goog-generation': generation } = headers;
      return {
        body,
        length: length === undefined ? undefined : Number(length),
        version: typeof generation === 'string' ? generation : undefined,
      };
    },
    isPastEnd: error => isStatus(error, 416),
    explain,
    explainBreak: failure => explain(new RequestFailure(messageOf(failure))),
  });
}
