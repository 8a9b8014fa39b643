/** Counts and hashes a body on its way. */
import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import { SrvError } from '@srv/kernel';
import { BodyDigest, hashKind } from '@srv/lib-stores/body-digest';
import { endedEarly } from './small-body.js';
import type { Readable } from 'node:stream';

export class ContentMeter {
  readonly body: Readable | Buffer;
  #md5: string | Promise<string> | undefined;
  /** Of a body that passes untouched. */
  #known: (() => string | Promise<string>) | undefined;
  #size = 0;

  /**
   * @param known the MD5 in hex once the body has ended: then it is not hashed here.
   * @param size bytes that a body of known MD5 has been checked to have: then it is not counted here.
   */
  constructor(body: Readable | Buffer, known?: () => string | Promise<string>, size?: number) {
    if (Buffer.isBuffer(body)) {
      this.#size = body.length;
      this.#md5 = known?.() ?? createHash('md5').update(body).digest('hex');
      this.body = body;
      return;
    }
    if (known && size !== undefined) {
      this.#size = size;
      this.#known = known;
      this.body = body;
      // It may fail before the store has begun to listen: the store finds it destroyed then.
      body.on('error', () => undefined);
      return;
    }
    const digest = known ? undefined : new BodyDigest([hashKind('md5')]);
    const meter = new Transform({
      transform: (chunk: Buffer, _, done) => {
        this.#size += chunk.length;
        const pending = digest?.update(chunk);
        if (pending) pending.then(() => done(null, chunk), done);
        else done(null, chunk);
      },
      flush: done => {
        this.#md5 = known ? known() : digest && hexOf(digest.finish());
        // The store waits for it while it writes.
        if (this.#md5 instanceof Promise) this.#md5.catch(() => undefined);
        done();
      },
      destroy: (error, done) => {
        digest?.abandon();
        // The store wants no more: what the body waits with would never leave.
        if (!body.readableEnded) body.destroy();
        done(error);
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

  /** The store has failed: nothing more is read. */
  abandon(): void {
    if (!Buffer.isBuffer(this.body)) this.body.destroy();
  }

  /** Bytes that have passed. */
  get size(): number {
    return this.#size;
  }

  /** Hexadecimal; only once the body has passed. A large body is hashed in a thread that may still be at work. */
  md5(): string | Promise<string> {
    if (this.#known) return this.#known();
    if (this.#md5 === undefined) throw new SrvError('internal', 'the MD5 of a body was asked for before its end');
    return this.#md5;
  }
}

function hexOf(digests: readonly Buffer[] | Promise<readonly Buffer[]>): string | Promise<string> {
  if (digests instanceof Promise) return digests.then(hexOf);
  return digests[0]?.toString('hex') ?? '';
}
