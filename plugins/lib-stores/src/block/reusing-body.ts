/** Bodies that want to know when a receiver has done with a piece. */
import type { Readable } from 'node:stream';

/** A body that uses the memory of its pieces again, or frees it at once. */
export interface ReusingBody extends Readable {
  /** Takes pieces, or parts of them, in the order in which they were sent. Who gives one back must not look at it afterwards. */
  takeBack(piece: Buffer): void;
}

export function isReusing(body: Readable): body is ReusingBody {
  return 'takeBack' in body && typeof body.takeBack === 'function';
}
