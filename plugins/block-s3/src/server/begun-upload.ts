/** A multipart upload of the driver's own: begun when needed, and ended when it fails. */
import { setTimeout as sleep } from 'node:timers/promises';
import { orAborted } from '@srv/lib-stores/block';

/** A failed upload waits at most so long for its removal, in milliseconds; a store that stalls must not hold its caller. */
const removalWaitMs = 2000;

export interface UploadEnds {
  begin(): Promise<string>;
  /** Removes the parts. Never rejects. */
  abort(uploadId: string): Promise<void>;
}

export class BegunUpload {
  readonly #ends: UploadEnds;
  #beginning: Promise<string> | undefined;

  constructor(ends: UploadEnds) {
    this.#ends = ends;
  }

  /** Begins it when it is first asked for. @throws SrvError `cancelled` as soon as `signal` is aborted. */
  id(signal: AbortSignal | undefined): Promise<string> {
    this.#beginning ??= this.#ends.begin();
    return orAborted(this.#beginning, signal);
  }

  /** Never rejects. What was begun but not answered yet is removed when the answer comes. */
  async discard(): Promise<void> {
    const removal = this.#beginning?.then(
      id => this.#ends.abort(id),
      () => undefined,
    );
    await Promise.race([removal, sleep(removalWaitMs, undefined, { ref: false })]);
  }
}
