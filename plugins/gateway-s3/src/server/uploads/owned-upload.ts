/** An upload that one request is about to complete, as long as that request shows signs of life. */
import { S3Error } from '../protocol/errors.js';
import type { Logger } from '@srv/kernel';
import type { Ending, JoinedObject } from './ending.js';
import type { CompletedRecord, UploadRecord } from './record.js';

/** Another request took the upload over: this one was considered dead. */
export class UploadLost extends Error {}

interface Ownership {
  /** What the request before this one had begun. */
  readonly before: Ending | undefined;
  /** Milliseconds between two signs of life. */
  readonly beat: number;
  readonly log: Logger;
  change(uploadId: string, change: (upload: UploadRecord) => UploadRecord): Promise<void>;
}

export class OwnedUpload {
  readonly upload: UploadRecord;
  /** What a request before this one had begun with the same list, and did not finish. */
  readonly before: Ending | undefined;
  readonly #owner: string;
  readonly #ownership: Ownership;
  readonly #timer: NodeJS.Timeout;

  constructor(upload: UploadRecord, ownership: Ownership) {
    this.upload = upload;
    this.before = ownership.before;
    this.#owner = upload.ending?.owner ?? '';
    this.#ownership = ownership;
    this.#timer = setInterval(() => void this.#beat(), ownership.beat);
    this.#timer.unref();
  }

  /** A request before this one may have staged the entry, and a commit may refer to the object by now. */
  get wasMaybeStaged(): boolean {
    return this.before?.maybeStaged === true;
  }

  /** Stops the signs of life. */
  close(): void {
    clearInterval(this.#timer);
  }

  /**
   * Notes what was joined, before the entry is staged.
   * @throws UploadLost
   */
  async staging(joined: JoinedObject): Promise<void> {
    await this.#change(ending => ({ ending: { ...ending, joined, maybeStaged: true } }));
  }

  /**
   * The object belongs to the branch from now on. The record no longer names it: the collector keeps all objects that records of
   * uploads name.
   * @throws UploadLost
   */
  async complete(completed: Omit<CompletedRecord, 'list'>): Promise<void> {
    this.close();
    await this.#change(({ list }) => ({ completed: { ...completed, list }, address: '' }));
  }

  /** The upload is as before: parts can be added, another list may complete it. @throws UploadLost */
  async reopen(): Promise<void> {
    this.close();
    await this.#change(() => ({}));
  }

  /**
   * The upload can no longer be completed; what is left of it can go.
   * @throws UploadLost
   */
  async abandon(): Promise<void> {
    this.close();
    await this.#change(ending => ({ ending: { ...ending, owner: '', aborting: true, maybeStaged: this.wasMaybeStaged } }));
  }

  /**
   * Lets the next request with the same list continue at once. Does not fail: otherwise that one waits.
   * @param unwritten this request has certainly not put the entry on the branch.
   */
  async leave({ unwritten = false } = {}): Promise<void> {
    this.close();
    try {
      await this.#change(ending => ({
        ending: { ...ending, owner: '', maybeStaged: unwritten ? this.wasMaybeStaged : ending.maybeStaged },
      }));
    } catch (error) {
      if (!(error instanceof UploadLost))
        this.#ownership.log.warn({ upload_id: this.upload.uploadId, error: String(error) }, 'cannot abort an upload');
    }
  }

  async #beat(): Promise<void> {
    try {
      await this.#change(ending => ({ ending: { ...ending, beat: ending.beat + 1 } }));
    } catch (error) {
      if (error instanceof UploadLost) this.close();
      else this.#ownership.log.warn({ upload_id: this.upload.uploadId, error: String(error) }, 'cannot record an upload');
    }
  }

  async #change(next: (ending: Ending) => Partial<Pick<UploadRecord, 'ending' | 'completed' | 'address'>>): Promise<void> {
    try {
      await this.#ownership.change(this.upload.uploadId, current => {
        const { ending, ...rest } = current;
        if (!ending || ending.owner !== this.#owner || ending.aborting) throw new UploadLost();
        return { ...rest, ...next(ending) };
      });
    } catch (error) {
      // Its record is gone: another request has ended it.
      throw error instanceof S3Error && error.code === 'NoSuchUpload' ? new UploadLost() : error;
    }
  }
}
