/** The body of a request as the operations read it: unframed, counted and verified while it streams. */
import { heldBodyTime } from '@srv/lib-api/http';
import { hashKind } from '@srv/lib-stores/body-digest';
import { S3Error, asS3Error } from '../protocol/errors.js';
import { BodyCheck, contentHash } from './body-check.js';
import { announcedChecksums, announcedMd5, checksumKind, claimedChecksum } from './checksum.js';
import { ClientTimer } from './client-timer.js';
import { Verifier } from './verifier.js';
import type { Readable } from 'node:stream';
import type { HeaderLines } from '../protocol/headers.js';
import type { Expectation } from './checksum.js';
import type { PayloadMode } from './mode.js';

export interface Payload {
  /** Created on first access. Read either this, or {@link Payload.whole}. */
  readonly stream: Readable;
  /**
   * The whole content in one piece.
   * @param limit bytes.
   * @throws S3Error `MalformedXML` for more, `RequestTimeout` when it takes long in all, and what the stream would fail with.
   */
  whole(limit: number): Promise<Buffer>;
  /** Bytes of the content, when announced. */
  readonly size?: number | undefined;
  /** MD5 of what {@link Payload.stream} yielded, in hex; available once it has ended. */
  readonly md5: () => string | Promise<string>;
  /** Checksums of the content by header name, in base64; complete once the stream has ended. */
  readonly checksums: ReadonlyMap<string, string>;
  /** What was wrong with the body, if that is why the stream failed. */
  readonly failure: () => S3Error | undefined;
}

interface PayloadOptions {
  readonly headers: HeaderLines;
  readonly mode: PayloadMode;
  /** False: `x-amz-checksum-*` headers are not about this body, but they must be well-formed. Default: true. */
  readonly hasChecksums?: boolean;
  /** Bytes the content may have. */
  readonly sizes?: { readonly min: number; readonly max: number } | undefined;
  /** Milliseconds to wait for the next byte until the request is given up; 0: any time. */
  readonly idleLimit?: number;
  /** Milliseconds that the whole content in one piece may take. */
  readonly totalLimit?: number;
  /** Waits until there is memory for a body of this many bytes. */
  readonly hold?: (size: number) => Promise<void>;
}

const defaultIdleLimit = 120_000;

/** @throws S3Error when the headers contradict themselves; nothing has been read then. */
export function openPayload(source: Readable, options: PayloadOptions): Payload {
  const { headers, mode, hasChecksums = true, sizes, idleLimit = defaultIdleLimit, totalLimit = heldBodyTime, hold } = options;
  const { size } = mode;
  const check = new BodyCheck(source, { mode, expected: expectationsOf(headers, mode, hasChecksums), sizes });
  return new RequestPayload(source, check, { size, idleLimit, totalLimit, hold });
}

interface RequestPayloadOptions {
  readonly size: number | undefined;
  readonly idleLimit: number;
  readonly totalLimit: number;
  readonly hold: PayloadOptions['hold'];
}

class RequestPayload implements Payload {
  readonly size: number | undefined;
  readonly checksums: ReadonlyMap<string, string>;
  readonly #source: Readable;
  readonly #check: BodyCheck;
  readonly #options: RequestPayloadOptions;
  #verifier: Verifier | undefined;
  #failure: S3Error | undefined;

  constructor(source: Readable, check: BodyCheck, options: RequestPayloadOptions) {
    this.size = options.size;
    this.checksums = check.checksums;
    this.#source = source;
    this.#check = check;
    this.#options = options;
    // Of a source that is more than a connection; its reader only sees that it ends early.
    source.once('error', this.#remember);
  }

  get stream(): Readable {
    if (!this.#verifier) {
      // What is stored needs its MD5, too.
      this.#check.addMd5();
      this.#verifier = new Verifier(this.#source, this.#options.idleLimit, this.#check).once('error', this.#remember);
    }
    return this.#verifier;
  }

  // Functions rather than methods: operations take them out of the payload.
  readonly md5 = (): string | Promise<string> => this.#check.md5();

  readonly failure = (): S3Error | undefined => this.#failure;

  async whole(limit: number): Promise<Buffer> {
    const { size, idleLimit, totalLimit, hold } = this.#options;
    try {
      await hold?.(Math.min(limit, size ?? limit));
      return await readWhole(this.#source, this.#check, { limit, idleLimit, totalLimit });
    } catch (error) {
      this.#remember(error);
      throw error;
    }
  }

  readonly #remember = (error: unknown): void => {
    if (error instanceof S3Error) this.#failure ??= error;
  };
}

/** What headers, signature and trailers promise of the content. */
function expectationsOf(headers: HeaderLines, mode: PayloadMode, hasChecksums: boolean): readonly Expectation[] {
  const announced = hasChecksums ? announcedChecksums(headers) : announcedMd5(headers);
  if (!hasChecksums) claimedChecksum(headers);
  const trailer = mode.kind === 'chunks' ? mode.trailers.map((header): Expectation => ({ header, kind: checksumKind(header) })) : [];
  const signed = mode.kind === 'hash' ? [{ header: contentHash, kind: hashKind('sha256'), expected: Buffer.from(mode.sha256, 'hex') }] : [];
  return [...signed, ...announced, ...trailer];
}

interface WholeLimits {
  readonly limit: number;
  readonly idleLimit: number;
  readonly totalLimit: number;
}

/** What {@link Verifier} does, for what is small: as a stream it would cost many times what it is worth. */
function readWhole(source: Readable, check: BodyCheck, { limit, idleLimit, totalLimit }: WholeLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    const late = (): void => stop(new S3Error('RequestTimeout'));
    const client = new ClientTimer(idleLimit, late);
    // Memory is held meanwhile, also where the configuration lets bodies stop for any time.
    const total = setTimeout(late, totalLimit);
    const stop = (error?: unknown): void => {
      client.close();
      clearTimeout(total);
      source.off('data', add).off('end', end).off('close', gone).off('error', stop);
      if (error === undefined) resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces));
      else {
        check.abandon();
        // The connection is still needed for the answer.
        if (!source.readableEnded && !source.destroyed) source.pause();
        reject(asS3Error(error));
      }
    };
    const add = (bytes: Buffer): void => {
      client.wait();
      try {
        for (const piece of check.take(bytes)) {
          // A document may be large enough for a thread; it has a limit, and is read on.
          void check.note(piece);
          length += piece.length;
          if (length > limit) throw new S3Error('MalformedXML', { message: `The XML you provided has more than ${limit} bytes.` });
          pieces.push(piece);
        }
      } catch (error) {
        stop(error);
      }
    };
    const end = (): void => {
      client.close();
      clearTimeout(total);
      try {
        const verified = check.finish();
        if (verified) verified.then(() => stop(), stop);
        else stop();
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
