/** `aws-chunked` bodies: chunks with lengths, optionally signed, and a trailer (the S3 gateway sheet, section 2.4). */
import { createHash } from 'node:crypto';
import { S3Error } from '../protocol/errors.js';

/** Signs chunks one after the other; each signature covers the one before. */
export interface ChunkSigner {
  /** Whether `signature` is right for a chunk whose data has the hexadecimal SHA-256 `hash`; moves on when it is. */
  checkChunk(hash: string, signature: string): boolean;
  checkTrailer(hash: string, signature: string): boolean;
}

export interface ChunkOptions {
  /** Absent: chunks carry no signatures. */
  readonly signer?: ChunkSigner | undefined;
  /** Lower-case names announced in `x-amz-trailer`; each must come, nothing else may. */
  readonly trailers?: readonly string[];
}

const maxLine = 4096;
const maxTrailerLines = 16;
const signatureLine = 'x-amz-trailer-signature';
const [lf, cr] = [0x0a, 0x0d];

type State = 'header' | 'data' | 'data-end' | 'trailer' | 'last-line' | 'end';

const malformed = (what: string): S3Error => new S3Error('InvalidRequest', { message: `The chunked body is malformed: ${what}.` });

/** Takes bytes in pieces of any size and gives back the data in them. */
export class ChunkDecoder {
  /** Values by name, complete after {@link end}. */
  readonly trailers = new Map<string, string>();
  readonly #signer: ChunkSigner | undefined;
  readonly #expected: readonly string[];
  #state: State = 'header';
  #line: Buffer[] = [];
  #lineLength = 0;
  #remaining = 0;
  #signature = '';
  #hash = createHash('sha256');
  #trailerText = '';
  #trailerSignature: string | undefined;
  #trailerLines = 0;

  constructor({ signer, trailers = [] }: ChunkOptions) {
    this.#signer = signer;
    this.#expected = trailers;
  }

  /** @throws S3Error when the framing or a signature is wrong. */
  push(bytes: Buffer): Buffer[] {
    const data: Buffer[] = [];
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === 'data') {
        const end = Math.min(bytes.length, at + this.#remaining);
        const piece = bytes.subarray(at, end);
        if (this.#signer) this.#hash.update(piece);
        data.push(piece);
        this.#remaining -= piece.length;
        at = end;
        if (this.#remaining === 0) this.#endChunk();
        continue;
      }
      if (this.#state === 'end') throw malformed('bytes follow its end');
      const feed = bytes.indexOf(lf, at);
      const end = feed < 0 ? bytes.length : feed;
      this.#lineLength += end - at;
      if (this.#lineLength > maxLine) throw malformed('a line is too long');
      const part = bytes.subarray(at, end);
      // A line that is not complete outlives these bytes.
      this.#line.push(feed < 0 ? Buffer.from(part) : part);
      at = end + 1;
      if (feed >= 0) this.#takeLine();
    }
    return data;
  }

  /** To be called when no more bytes come. @throws S3Error `IncompleteBody` when the body is not complete. */
  end(): void {
    // Some clients omit the line break after the last chunk.
    const complete = this.#state === 'end' || (this.#state === 'last-line' && this.#lineLength === 0);
    if (!complete) throw new S3Error('IncompleteBody');
  }

  #takeLine(): void {
    const [only] = this.#line;
    const joined = only && this.#line.length === 1 ? only : Buffer.concat(this.#line);
    const broken = joined.at(-1) === cr;
    const line = (broken ? joined.subarray(0, -1) : joined).toString('latin1');
    this.#line = [];
    this.#lineLength = 0;
    if (this.#state === 'trailer') this.#takeTrailer(line);
    else if (!broken) throw malformed('a line does not end in CR LF');
    else if (this.#state === 'header') this.#takeHeader(line);
    else if (line !== '') throw malformed('data is longer than its chunk');
    else this.#state = this.#state === 'data-end' ? 'header' : 'end';
  }

  #takeHeader(line: string): void {
    const match = /^([0-9a-fA-F]{1,16})(?:;(.*))?$/.exec(line);
    const length = match ? Number.parseInt(match[1] ?? '', 16) : Number.NaN;
    if (!Number.isSafeInteger(length)) throw malformed('a chunk has no length');
    this.#signature = /(?:^|;)\s*chunk-signature=([0-9a-f]{64})\s*(?:;|$)/.exec(match?.[2] ?? '')?.[1] ?? '';
    this.#remaining = length;
    this.#state = 'data';
    if (length === 0) {
      this.#endChunk();
      this.#state = this.#expected.length > 0 ? 'trailer' : 'last-line';
    }
  }

  #endChunk(): void {
    this.#state = 'data-end';
    if (!this.#signer) return;
    if (!this.#signer.checkChunk(this.#hash.digest('hex'), this.#signature)) throw new S3Error('SignatureDoesNotMatch');
    this.#hash = createHash('sha256');
  }

  #takeTrailer(line: string): void {
    if (line === '') {
      // A line break may also precede the trailer.
      if (this.#trailers()) this.#endTrailer();
      else if (this.#trailerLines++ > 0) throw malformed('its trailer ends early');
      return;
    }
    if (++this.#trailerLines > maxTrailerLines) throw malformed('its trailer is too long');
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === signatureLine && this.#signer && this.#trailerSignature === undefined) {
      this.#trailerSignature = value;
      return;
    }
    if (!this.#expected.includes(name) || this.trailers.has(name)) throw malformed(`its trailer was not announced in x-amz-trailer`);
    this.trailers.set(name, value);
    this.#trailerText += `${name}:${value}\n`;
  }

  #trailers(): boolean {
    return this.trailers.size === this.#expected.length;
  }

  #endTrailer(): void {
    this.#state = 'end';
    if (!this.#signer) return;
    const hash = createHash('sha256').update(this.#trailerText, 'latin1').digest('hex');
    if (!this.#signer.checkTrailer(hash, this.#trailerSignature ?? '')) throw new S3Error('SignatureDoesNotMatch');
  }
}
