/** What a body must be like: counted and hashed piece by piece, judged at its end. */

import { SrvError } from '@srv/kernel';
import { hasBodyOverrun } from '@srv/lib-api/http';
import { BodyDigest, hashKind } from '@srv/lib-stores/body-digest';
import { S3Error } from '../protocol/errors.js';
import { decodeChecksum, isChecksumHeader } from './checksum.js';
import { ChunkDecoder } from './chunks.js';
import type { Readable } from 'node:stream';
import type { Expectation } from './checksum.js';
import type { PayloadMode } from './mode.js';

interface BodyCheckOptions {
  readonly mode: PayloadMode;
  readonly expected: readonly Expectation[];
  /** Bytes the content may have. */
  readonly sizes?: { readonly min: number; readonly max: number } | undefined;
}

export const contentHash = 'x-amz-content-sha256';

export class BodyCheck {
  /** By header name, in base64; complete once the body has ended. */
  readonly checksums = new Map<string, string>();
  readonly #source: Readable;
  readonly #expected: readonly Expectation[];
  readonly #size: number | undefined;
  readonly #sizes: BodyCheckOptions['sizes'];
  readonly #decoder: ChunkDecoder | undefined;
  #digest: BodyDigest;
  #hasMd5 = false;
  #read = 0;
  #md5: string | Promise<string> | undefined;

  constructor(source: Readable, { mode, expected, sizes }: BodyCheckOptions) {
    this.#source = source;
    this.#expected = expected;
    this.#size = mode.size;
    this.#sizes = sizes;
    this.#decoder = mode.kind === 'chunks' ? new ChunkDecoder(mode) : undefined;
    this.#digest = new BodyDigest(expected.map(({ kind }) => kind));
  }

  /** Computes the MD5, too. Before the first piece. */
  addMd5(): void {
    this.#hasMd5 = true;
    this.#digest = new BodyDigest([...this.#expected.map(({ kind }) => kind), hashKind('md5')]);
  }

  /** In hex; available once the body has ended. */
  md5(): string | Promise<string> {
    if (this.#md5 === undefined) throw new SrvError('internal', 'the MD5 of a body was asked for before its end');
    return this.#md5;
  }

  /** Content in a piece of the body. */
  take(bytes: Buffer): Buffer[] {
    return this.#decoder ? this.#decoder.push(bytes) : [bytes];
  }

  /** @returns a promise to wait for when hashing lags behind. */
  note(piece: Buffer): Promise<void> | undefined {
    this.#read += piece.length;
    if (this.#size !== undefined && this.#read > this.#size) throw longer();
    if (this.#sizes && this.#read > this.#sizes.max) throw new S3Error('EntityTooLarge');
    return this.#digest.update(piece);
  }

  /** Bytes of the content that need not stay any longer. */
  get hashed(): number {
    return this.#digest.taken;
  }

  /** @returns a promise of the verdict on the body, if that takes time. */
  finish(): Promise<void> | undefined {
    this.#decoder?.end();
    if (hasBodyOverrun(this.#source)) throw longer();
    if (this.#size !== undefined && this.#read !== this.#size) throw new S3Error('IncompleteBody');
    if (this.#sizes && this.#read < this.#sizes.min) throw new S3Error('EntityTooSmall');
    const found = this.#digest.finish();
    if (!(found instanceof Promise)) {
      if (this.#hasMd5) this.#md5 = hexOf(found);
      this.#verify(found);
      return undefined;
    }
    const hex = found.then(hexOf);
    // The operation that stores the body waits for it.
    hex.catch(() => undefined);
    this.#md5 = hex;
    return this.#expected.length === 0 ? undefined : found.then(digests => this.#verify(digests));
  }

  /** The body will not be finished. */
  abandon(): void {
    this.#digest.abandon();
  }

  #verify(found: readonly Buffer[]): void {
    for (const [i, { header, expected }] of this.#expected.entries()) {
      const wanted = expected ?? decodeChecksum(header, this.#decoder?.trailers.get(header) ?? '');
      if (!found[i]?.equals(wanted)) throw mismatch(header);
      if (isChecksumHeader(header)) this.checksums.set(header, wanted.toString('base64'));
    }
  }
}

/** The body is longer than its headers announce: nothing is stored. */
function longer(): S3Error {
  return new S3Error('IncompleteBody', { message: 'You sent more bytes than the Content-Length HTTP header said.' });
}

/** The last digest of a stream's content. */
function hexOf(digests: readonly Buffer[]): string {
  return digests.at(-1)?.toString('hex') ?? '';
}

function mismatch(header: string): S3Error {
  if (header === contentHash) return new S3Error('XAmzContentSHA256Mismatch');
  if (header === 'content-md5')
    return new S3Error('BadDigest', { message: 'The Content-MD5 you specified did not match what we received.' });
  const name = header.slice('x-amz-checksum-'.length).toUpperCase();
  return new S3Error('BadDigest', { message: `The ${name} you specified did not match the calculated checksum.` });
}
