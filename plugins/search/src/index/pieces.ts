/** Stretches of keys of two commits that can be indexed apart from each other. */
import type { RangeDescriptor } from '@srv/engine/contract';
import type { IndexedRange } from '../format/snapshot.js';

/** No range of either commit lies in it only in part. */
export interface Piece {
  /** Ranges that are indexed. */
  readonly base: readonly IndexedRange[];
  /** Ranges of the commit that is about to be. */
  readonly own: readonly RangeDescriptor[];
  readonly minKey: Buffer;
  readonly maxKey: Buffer;
}

/** Both lists are in order of keys, and so are the pieces. */
export function* piecesOf(base: readonly IndexedRange[], own: readonly RangeDescriptor[]): Generator<Piece> {
  let [b, o] = [0, 0];
  for (;;) {
    const minKey = smaller(base[b]?.minKey, own[o]?.minKey);
    if (!minKey) return;
    const [firstBase, firstOwn] = [b, o];
    let maxKey = minKey;
    const reaches = (range: { readonly minKey: Buffer } | undefined): boolean => !!range && Buffer.compare(range.minKey, maxKey) <= 0;
    while (reaches(base[b]) || reaches(own[o])) {
      const range = reaches(base[b]) ? base[b++] : own[o++];
      if (range && Buffer.compare(range.maxKey, maxKey) > 0) maxKey = range.maxKey;
    }
    yield { base: base.slice(firstBase, b), own: own.slice(firstOwn, o), minKey, maxKey };
  }
}

function smaller(a: Buffer | undefined, b: Buffer | undefined): Buffer | undefined {
  if (!a || !b) return a ?? b;
  return Buffer.compare(a, b) <= 0 ? a : b;
}
