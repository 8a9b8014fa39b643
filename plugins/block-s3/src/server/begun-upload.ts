/** A multipart upload of the driver's own: begun when needed, and ended when it fails. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SrvError } from '@srv/kernel';

/** A failed upload waits at most so long for its removal, in milliseconds; a store that stalls must not hold its caller. */
const removalWaitMs = 2000;

export interface UploadEnds {
  create(): Promise<string>;
  /** Removes the parts. Never rejects. */
  discard(uploadId: string): Promise<void>;
}

export class BegunUpload {
  readonly #ends: UploadEnds;
  #creating: Promise<string> | undefined;

  constructor(ends: UploadEnds) {
    this.#ends = ends;
  }

  /** Begins it when it is first asked for. @throws SrvError `cancelled` as soon as `signal` is aborted. */
  async id(signal: AbortSignal | undefined): Promise<string> {
    this.#creating ??= this.#ends.create();
    if (!signal) return this.#creating;
    let cancel: () => void = () => undefined;
    const cancelled = new Promise<never>((_, reject) => {
      cancel = () => reject(new SrvError('cancelled', 'the request was cancelled', { cause: signal.reason }));
    });
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await Promise.race([this.#creating, cancelled]);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Never rejects. What was begun but not answered yet is removed when the answer comes. */
  async discard(): Promise<void> {
    const removal = this.#creating?.then(
      id => this.#ends.discard(id),
      () => undefined,
    );
    await Promise.race([removal, sleep(removalWaitMs, undefined, { ref: false })]);
  }
}
