/** Bodies that can do more for their receiver than streams can. */
import { Readable } from 'node:stream';

/** A body whose bytes are all there. A reader that takes `ready` destroys the stream unread. */
export interface ReadyBody extends Readable {
  readonly ready: Buffer;
}

export function isReady(body: Readable): body is ReadyBody {
  return 'ready' in body && Buffer.isBuffer(body.ready) && !body.readableDidRead;
}

/** Bytes that are all there, as a stream. */
export class ReadyStream extends Readable implements ReadyBody {
  readonly ready: Buffer;

  constructor(bytes: Buffer) {
    super();
    this.ready = bytes;
  }

  override _read(): void {
    this.push(this.ready);
    this.push(null);
  }
}

/** A body that uses the memory of its pieces again, or frees it at once. */
export interface ReusingBody extends Readable {
  /** Takes pieces, or parts of them, in the order in which they were sent. Who gives one back must not look at it afterwards. */
  takeBack(piece: Buffer): void;
}

export function isReusing(body: Readable): body is ReusingBody {
  return 'takeBack' in body && typeof body.takeBack === 'function';
}
