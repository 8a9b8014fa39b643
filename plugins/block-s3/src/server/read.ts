/** Reads an object as a stream. */
import { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { SrvError } from '@srv/kernel';
import { rangeHeader, resumedRead } from '@srv/lib-stores/block';
import { answerOf } from './errors.js';
import type { ByteRange, GetOptions, ReadAnswer } from '@srv/lib-stores/block';
import type { ObjectPlace } from './address.js';

/** @param failed turns an error into what the reader sees. @returns a stream that has no bytes when the range begins after the end. */
export function readObject(place: ObjectPlace, { range, signal }: GetOptions, failed: (error: Error) => Error): Promise<Readable> {
  return resumedRead({
    range,
    signal,
    open: (wanted, { version, signal: abortSignal }) => ask(place, wanted, { version, abortSignal }),
    isPastEnd: error => answerOf(error)?.status === 416,
    explain: error => failed(error as Error),
    explainBreak: failed,
  });
}

interface AskOptions {
  readonly version: string | undefined;
  readonly abortSignal: AbortSignal;
}

async function ask(
  { client, bucket, key, address }: ObjectPlace,
  range: ByteRange | undefined,
  { version, abortSignal }: AskOptions,
): Promise<ReadAnswer> {
  const command = new GetObjectCommand({ Bucket: bucket, Key: key, Range: range && rangeHeader(range), IfMatch: version });
  const { Body, ContentLength, ContentRange, ETag } = await client.send(command, { abortSignal });
  if (!(Body instanceof Readable)) throw new SrvError('unavailable', `${address}: the store answered without a body`);
  if (range && ContentRange === undefined && ContentLength !== 0) {
    Body.destroy();
    throw new SrvError('unsupported', `${address}: the store does not read ranges`);
  }
  return { body: Body, length: ContentLength, version: ETag };
}
