/** The body of a request as the operations read it: unframed, counted and verified while it streams. */
import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import { S3Error, asS3Error } from '../protocol/errors.js';
import { announcedChecksums, decodeChecksum, startChecksum } from './checksum.js';
import { ChunkDecoder } from './chunks.js';
import type { Readable } from 'node:stream';
import type { HeaderLines } from '../protocol/headers.js';
import type { Expectation } from './checksum.js';
import type { PayloadMode } from './mode.js';

export interface Payload {
  readonly stream: Readable;
  /** Bytes of the content, when announced. */
  readonly size?: number;
  /** Checksums of the content by header name, in base64; complete once the stream has ended. */
  readonly checksums: ReadonlyMap<string, string>;
  /** What was wrong with the body, if that is why the stream failed. */
  readonly failure: () => S3Error | undefined;
}

export interface PayloadOptions {
  readonly headers: HeaderLines;
  readonly mode: PayloadMode;
  /** Milliseconds without a byte until the request is given up. */
  readonly idleLimit?: number;
}

const defaultIdleLimit = 120_000;

/** @throws S3Error when the headers contradict themselves; nothing has been read then. */
export function openPayload(source: Readable, { headers, mode, idleLimit = defaultIdleLimit }: PayloadOptions): Payload {
  const expectations = announcedChecksums(headers);
  const trailer = mode.kind === 'chunks' ? mode.trailers.map((header): Expectation => ({ header, digest: startChecksum(header) })) : [];
  const sha256 = mode.kind === 'hash' ? createHash('sha256') : undefined;
  const checksums = new Map<string, string>();
  const digests = [...expectations, ...trailer];
  const decoder = mode.kind === 'chunks' ? new ChunkDecoder(mode) : undefined;
  const { size } = mode;
  let failure: S3Error | undefined;
  let read = 0;

  const idle = setTimeout(() => verifier.destroy(new S3Error('RequestTimeout')), idleLimit);
  idle.unref();

  const note = (piece: Buffer): void => {
    read += piece.length;
    if (size !== undefined && read > size) throw new S3Error('IncompleteBody');
    sha256?.update(piece);
    for (const { digest } of digests) digest.update(piece);
  };
  const finish = (): void => {
    decoder?.end();
    if (size !== undefined && read !== size) throw new S3Error('IncompleteBody');
    if (mode.kind === 'hash' && sha256?.digest('hex') !== mode.sha256) throw new S3Error('XAmzContentSHA256Mismatch');
    for (const { header, digest, expected } of digests) {
      const found = digest.digest();
      const wanted = expected ?? decodeChecksum(header, decoder?.trailers.get(header) ?? '');
      if (!found.equals(wanted)) throw new S3Error('BadDigest', { message: mismatch(header) });
      if (header !== 'content-md5') checksums.set(header, found.toString('base64'));
    }
  };
  const verifier = new Transform({
    transform(bytes: Buffer, _encoding, done) {
      idle.refresh();
      try {
        for (const piece of decoder ? decoder.push(bytes) : [bytes]) {
          note(piece);
          this.push(piece);
        }
        done();
      } catch (error) {
        done(asS3Error(error));
      }
    },
    flush(done) {
      try {
        finish();
        done();
      } catch (error) {
        done(asS3Error(error));
      }
    },
  });
  verifier.once('error', error => {
    if (error instanceof S3Error) failure ??= error;
  });
  verifier.once('close', () => clearTimeout(idle));
  feed(source, verifier);
  return { stream: verifier, checksums, failure: () => failure, ...(size === undefined ? {} : { size }) };
}

/**
 * Like `pipeline`, but the source survives: the connection is still needed for the answer. Who answers decides whether
 * the rest of the body is taken in.
 */
function feed(source: Readable, verifier: Transform): void {
  const gone = (): void => {
    if (!source.readableEnded) verifier.destroy(new S3Error('IncompleteBody'));
  };
  source.once('error', gone);
  source.once('close', gone);
  source.pipe(verifier);
  verifier.once('close', () => {
    source.unpipe(verifier);
    source.off('close', gone);
    if (!source.readableEnded && !source.destroyed) source.pause();
  });
}

function mismatch(header: string): string {
  if (header === 'content-md5') return 'The Content-MD5 you specified did not match what we received.';
  const name = header.slice('x-amz-checksum-'.length).toUpperCase();
  return `The ${name} you specified did not match the calculated checksum.`;
}

/** The whole body, for small documents. @throws S3Error `MalformedXML` when it has more than `limit` bytes. */
export async function readPayload(payload: Payload, limit: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of payload.stream as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > limit) throw new S3Error('MalformedXML', { message: `The XML you provided has more than ${limit} bytes.` });
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
