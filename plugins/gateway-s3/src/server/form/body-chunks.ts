/** The pieces of a body, read one by one. The rest stays readable for the next reader. */
import { ClientTimer } from '../body/client-timer.js';
import { S3Error } from '../protocol/errors.js';
import type { Readable } from 'node:stream';

export class BodyChunks implements AsyncIterator<Buffer> {
  readonly #source: Readable;
  readonly #timer: ClientTimer;
  #stop: ((error: S3Error) => void) | undefined;

  /** @param idleLimit milliseconds to wait for the next piece; 0: any time. */
  constructor(source: Readable, idleLimit: number) {
    this.#source = source;
    this.#timer = new ClientTimer(idleLimit, () => this.#stop?.(new S3Error('RequestTimeout')));
  }

  /** @throws S3Error `IncompleteBody`, `RequestTimeout`. */
  next(): Promise<IteratorResult<Buffer, undefined>> {
    const source = this.#source;
    return new Promise((resolve, reject) => {
      const settle = (settled: () => void): void => {
        this.#timer.hold();
        this.#stop = undefined;
        source.pause().off('data', take).off('end', end).off('close', gone).off('error', gone);
        settled();
      };
      const take = (value: Buffer): void => settle(() => resolve({ done: false, value }));
      const end = (): void => settle(() => resolve({ done: true, value: undefined }));
      const gone = (): void => settle(() => reject(new S3Error('IncompleteBody')));
      this.#stop = error => settle(() => reject(error));
      this.#timer.wait();
      if (source.readableEnded) end();
      else if (source.destroyed) gone();
      else source.on('end', end).on('close', gone).on('error', gone).on('data', take).resume();
    });
  }

  /** Ends a call of {@link next} that waits. */
  close(error = new S3Error('IncompleteBody')): void {
    this.#timer.close();
    this.#stop?.(error);
  }
}
