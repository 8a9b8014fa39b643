/** Counts and hashes a body on its way. */
import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import type { Readable } from 'node:stream';
import { endedEarly } from './small-body.js';

export class ContentMeter {
  readonly body: Readable | Buffer;
  readonly #hash = createHash('md5');
  #md5: string | undefined;
  #size = 0;

  constructor(body: Readable | Buffer) {
    const note = (chunk: Buffer): void => {
      this.#hash.update(chunk);
      this.#size += chunk.length;
    };
    if (Buffer.isBuffer(body)) {
      note(body);
      this.body = body;
      return;
    }
    const meter = new Transform({
      transform(chunk: Buffer, _, done) {
        note(chunk);
        done(null, chunk);
      },
    });
    // A body may fail before the store has begun to listen: the store finds the meter destroyed then.
    meter.on('error', () => undefined);
    const close = (): void => {
      if (!body.readableEnded) meter.destroy(endedEarly());
    };
    body.once('error', error => meter.destroy(error));
    body.once('close', close);
    if (body.destroyed) close();
    this.body = body.pipe(meter);
  }

  /** Bytes that have passed. */
  get size(): number {
    return this.#size;
  }

  /** Hexadecimal; only once the body has passed. */
  get md5(): string {
    this.#md5 ??= this.#hash.digest('hex');
    return this.#md5;
  }
}
