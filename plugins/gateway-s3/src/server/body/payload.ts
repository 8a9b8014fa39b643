/** The body of a request as the operations read it: unframed, counted and verified while it streams. */
import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import { hasExcess } from '@srv/lib-http';
import { S3Error, asS3Error } from '../protocol/errors.js';
import { announcedChecksums, announcedMd5, decodeChecksum, startChecksum } from './checksum.js';
import { ChunkDecoder } from './chunks.js';
import type { Readable, TransformCallback } from 'node:stream';
import type { HeaderLines } from '../protocol/headers.js';
import type { Expectation } from './checksum.js';
import type { PayloadMode } from './mode.js';

export interface Payload {
  /** Created on first access. Read either this, or {@link Payload.whole}. */
  readonly stream: Readable;
  /** The whole content in one piece. @param limit bytes. @throws S3Error `MalformedXML` for more, and what the stream would fail with. */
  whole(limit: number): Promise<Buffer>;
  /** Bytes of the content, when announced. */
  readonly size?: number;
  /** Checksums of the content by header name, in base64; complete once the stream has ended. */
  readonly checksums: ReadonlyMap<string, string>;
  /** What was wrong with the body, if that is why the stream failed. */
  readonly failure: () => S3Error | undefined;
}

interface PayloadOptions {
  readonly headers: HeaderLines;
  readonly mode: PayloadMode;
  /** False: `x-amz-checksum-*` headers are not about this body. Default: true. */
  readonly hasChecksums?: boolean;
  /** Milliseconds without a byte until the request is given up. */
  readonly idleLimit?: number;
}

const defaultIdleLimit = 120_000;

/** @throws S3Error when the headers contradict themselves; nothing has been read then. */
export function openPayload(
  source: Readable,
  { headers, mode, hasChecksums = true, idleLimit = defaultIdleLimit }: PayloadOptions,
): Payload {
  const expectations = hasChecksums ? announcedChecksums(headers) : announcedMd5(headers);
  const trailer = mode.kind === 'chunks' ? mode.trailers.map((header): Expectation => ({ header, digest: startChecksum(header) })) : [];
  const sha256 = mode.kind === 'hash' ? createHash('sha256') : undefined;
  const checksums = new Map<string, string>();
  const digests = [...expectations, ...trailer];
  const decoder = mode.kind === 'chunks' ? new ChunkDecoder(mode) : undefined;
  const { size } = mode;
  let failure: S3Error | undefined;
  let read = 0;

  const note = (piece: Buffer): void => {
    read += piece.length;
    if (size !== undefined && read > size) throw longer();
    sha256?.update(piece);
    for (const { digest } of digests) digest.update(piece);
  };
  const finish = (): void => {
    decoder?.end();
    if (hasExcess(source)) throw longer();
    if (size !== undefined && read !== size) throw new S3Error('IncompleteBody');
    if (mode.kind === 'hash' && sha256?.digest('hex') !== mode.sha256) throw new S3Error('XAmzContentSHA256Mismatch');
    for (const { header, digest, expected } of digests) {
      const found = digest.digest();
      const wanted = expected ?? decodeChecksum(header, decoder?.trailers.get(header) ?? '');
      if (!found.equals(wanted)) throw new S3Error('BadDigest', { message: mismatch(header) });
      if (header !== 'content-md5') checksums.set(header, found.toString('base64'));
    }
  };
  const steps = { take: (bytes: Buffer) => (decoder ? decoder.push(bytes) : [bytes]), note, finish };
  const remember = (error: unknown): void => {
    if (error instanceof S3Error) failure ??= error;
  };
  let verifier: Verifier | undefined;
  return {
    get stream() {
      verifier ??= new Verifier(source, idleLimit, steps).once('error', remember);
      return verifier;
    },
    async whole(limit) {
      try {
        return await readWhole(source, steps, { limit, idleLimit });
      } catch (error) {
        remember(error);
        throw error;
      }
    },
    checksums,
    failure: () => failure,
    ...(size === undefined ? {} : { size }),
  };
}

/** The client means another object than the one its headers announce: neither is stored. */
function longer(): S3Error {
  return new S3Error('IncompleteBody', { message: 'You sent more bytes than the Content-Length HTTP header said.' });
}

interface Steps {
  /** Content in a piece of the body. */
  take(bytes: Buffer): Buffer[];
  note(piece: Buffer): void;
  finish(): void;
}

/**
 * Reads nothing until it is read itself, so that no failure comes before somebody listens. The source survives it: the
 * connection is still needed for the answer.
 */
class Verifier extends Transform {
  readonly #source: Readable;
  readonly #idleLimit: number;
  readonly #steps: Steps;
  #idle: NodeJS.Timeout | undefined;

  constructor(source: Readable, idleLimit: number, steps: Steps) {
    super();
    this.#source = source;
    this.#idleLimit = idleLimit;
    this.#steps = steps;
  }

  override _read(size: number): void {
    if (!this.#idle) this.#start();
    super._read(size);
  }

  override _transform(bytes: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#idle?.refresh();
    try {
      for (const piece of this.#steps.take(bytes)) {
        this.#steps.note(piece);
        this.push(piece);
      }
      done();
    } catch (error) {
      done(asS3Error(error));
    }
  }

  override _flush(done: TransformCallback): void {
    try {
      this.#steps.finish();
      done();
    } catch (error) {
      done(asS3Error(error));
    }
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#idle);
    this.#source.unpipe(this);
    this.#source.off('close', this.#gone);
    if (!this.#source.readableEnded && !this.#source.destroyed) this.#source.pause();
    done(error);
  }

  readonly #gone = (): void => {
    if (!this.#source.readableEnded) this.destroy(new S3Error('IncompleteBody'));
  };

  #start(): void {
    this.#idle = setTimeout(() => this.destroy(new S3Error('RequestTimeout')), this.#idleLimit);
    this.#source.once('close', this.#gone);
    if (this.#source.destroyed) this.#gone();
    else this.#source.pipe(this);
  }
}

function mismatch(header: string): string {
  if (header === 'content-md5') return 'The Content-MD5 you specified did not match what we received.';
  const name = header.slice('x-amz-checksum-'.length).toUpperCase();
  return `The ${name} you specified did not match the calculated checksum.`;
}

/** What {@link Verifier} does, for what is small: as a stream it would cost many times what it is worth. */
function readWhole(
  source: Readable,
  { take, note, finish }: Steps,
  { limit, idleLimit }: { limit: number; idleLimit: number },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    const idle = setTimeout(() => stop(new S3Error('RequestTimeout')), idleLimit);
    const stop = (error?: unknown): void => {
      clearTimeout(idle);
      source.off('data', add).off('end', end).off('close', gone).off('error', stop);
      if (error === undefined) resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces));
      else {
        // The connection is still needed for the answer.
        if (!source.readableEnded && !source.destroyed) source.pause();
        reject(asS3Error(error));
      }
    };
    const add = (bytes: Buffer): void => {
      idle.refresh();
      try {
        for (const piece of take(bytes)) {
          note(piece);
          length += piece.length;
          if (length > limit) throw new S3Error('MalformedXML', { message: `The XML you provided has more than ${limit} bytes.` });
          pieces.push(piece);
        }
      } catch (error) {
        stop(error);
      }
    };
    const end = (): void => {
      try {
        finish();
        stop();
      } catch (error) {
        stop(error);
      }
    };
    const gone = (): void => {
      if (!source.readableEnded) stop(new S3Error('IncompleteBody'));
    };
    if (source.destroyed) gone();
    else source.on('error', stop).once('close', gone).once('end', end).on('data', add);
  });
}
