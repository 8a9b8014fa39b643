/** Content that needs no waiting. */
import { Readable } from 'node:stream';

/** Bytes that are all there, as a stream. A reader that takes `ready` destroys the stream unread. */
export class ReadyStream extends Readable {
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
