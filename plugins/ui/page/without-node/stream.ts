/** What commands need of `node:stream`: bytes that are read once, piece by piece. */

export type Piece = Uint8Array | string;

export class Readable implements AsyncIterable<Piece> {
  readonly #pieces: AsyncIterable<Piece>;

  constructor(pieces: AsyncIterable<Piece>) {
    this.#pieces = pieces;
  }

  static from(pieces: AsyncIterable<Piece> | Iterable<Piece>): Readable {
    return new Readable(
      (async function* () {
        yield* pieces;
      })(),
    );
  }

  /** Distinguishes streams of bytes from streams of items. */
  pipe(): never {
    throw new Error('bytes of the page are read piece by piece');
  }

  destroy(): void {}

  [Symbol.asyncIterator](): AsyncIterator<Piece> {
    return this.#pieces[Symbol.asyncIterator]();
  }
}
