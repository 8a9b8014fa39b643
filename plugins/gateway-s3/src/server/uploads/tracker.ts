/** Multipart uploads in progress: what the gateway must know to continue one, whichever server gets the next request. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pace, absent } from '@srv/kernel';
import { S3Error } from '../protocol/errors.js';
import { isInRepository } from './identity.js';
import { OwnedUpload } from './owned-upload.js';
import { PartChecksums } from './part-checksums.js';
import { decodeUpload, encodeUpload } from './record.js';
import type { KvStore, Logger } from '@srv/kernel';
import type { Ending } from './ending.js';
import type { RepositoryIdentity } from './identity.js';
import type { CompletedRecord, UploadRecord } from './record.js';

const partition = 'multiparts';
/** Milliseconds a completed upload is remembered. */
const memory = 24 * 3_600_000;
/** Longest key the stores take; no upload has such an id. */
const maxIdBytes = 2048;
/** Milliseconds between two polls of an upload that another request is ending. */
const [firstLook, longestLook] = [20, 1000];

/** Milliseconds. */
interface OwnershipTimes {
  /** Milliseconds between two signs of life of an owner. */
  readonly beat: number;
  /** Without a sign of life for so long, as others see it by their own clock, an owner is taken for dead. */
  readonly stale: number;
}

const defaultTimes: OwnershipTimes = { beat: 5_000, stale: 30_000 };

interface TrackerOptions {
  readonly log: Logger;
  /**
   * Ends an open upload that was abandoned; returns whether its record can go.
   * @param claim makes the upload this server's to abort; `undefined` when another request ended it.
   */
  endAbandoned(upload: UploadRecord, claim: () => Promise<UploadRecord | undefined>): Promise<boolean>;
  readonly times?: OwnershipTimes;
}

interface Taken {
  readonly upload: UploadRecord;
  readonly before: Ending | undefined;
}

export class UploadTracker {
  /** Of the parts of uploads in progress. */
  readonly checksums: PartChecksums;
  readonly #kv: KvStore;
  readonly #log: Logger;
  readonly #endAbandoned: TrackerOptions['endAbandoned'];
  readonly #times: OwnershipTimes;

  constructor(kv: KvStore, { log, endAbandoned, times = defaultTimes }: TrackerOptions) {
    this.checksums = new PartChecksums(kv);
    this.#kv = kv;
    this.#log = log;
    this.#endAbandoned = endAbandoned;
    this.#times = times;
  }

  async create(upload: UploadRecord): Promise<void> {
    if (!(await this.#kv.setIf(partition, keyOf(upload.uploadId), encodeUpload(upload), absent)))
      throw new S3Error('InternalError', { message: 'The upload id is in use already.' });
  }

  /**
   * The upload of that id, which belongs to the path in the repository. The branch may be another one.
   * @throws S3Error `NoSuchUpload`; also for uploads that another kind of server began.
   */
  async get(uploadId: string, repository: RepositoryIdentity, path: string): Promise<UploadRecord> {
    const upload = await this.find(uploadId);
    if (!upload || upload.path !== path || !isInRepository(upload, repository)) throw new S3Error('NoSuchUpload');
    return upload;
  }

  /** As {@link get}, but only while the upload has not ended. */
  async getOpen(uploadId: string, repository: RepositoryIdentity, path: string): Promise<UploadRecord> {
    const upload = await this.get(uploadId, repository, path);
    if (!isOpen(upload)) throw new S3Error('NoSuchUpload');
    return upload;
  }

  /** As {@link get}, but only while parts can be added: not once a request has begun to end it. */
  async getGrowing(uploadId: string, repository: RepositoryIdentity, path: string): Promise<UploadRecord> {
    const upload = await this.get(uploadId, repository, path);
    if (upload.completed || upload.ending) throw new S3Error('NoSuchUpload');
    return upload;
  }

  /** @throws S3Error `NoSuchUpload` when the upload ended while a part was sent; what was kept about the part goes. */
  async keepPart(uploadId: string): Promise<void> {
    const upload = await this.find(uploadId);
    if (upload && isOpen(upload)) return;
    await this.checksums.remove(uploadId);
    throw new S3Error('NoSuchUpload');
  }

  /** The record as it is now, whichever repository it belongs to. */
  async find(uploadId: string): Promise<UploadRecord | undefined> {
    const length = Buffer.byteLength(uploadId);
    if (length === 0 || length > maxIdBytes) return undefined;
    const found = await this.#kv.get(partition, keyOf(uploadId));
    return found && decodeUpload(found.value);
  }

  /**
   * Gives the caller the right to complete an upload, or returns its outcome. While another request is about to end it, this
   * one waits for the outcome, or until the other shows no sign of life.
   * @param list digest of what it is to be completed with.
   * @throws S3Error `NoSuchUpload` when it was aborted, or completed with another list.
   */
  async claim({ uploadId }: UploadRecord, list: string, signal?: AbortSignal): Promise<OwnedUpload | CompletedRecord> {
    const { upload, before } = await this.#take(
      uploadId,
      ({ completed, ending }) => {
        if (completed) return completed.list === '' || completed.list === list ? undefined : 'lost';
        if (ending?.aborting || (ending && ending.list !== list)) return 'lost';
        return { aborting: false, maybeStaged: false, ...ending, list, owner: randomUUID(), beat: 0 };
      },
      signal,
    );
    if (upload.completed) return upload.completed;
    return new OwnedUpload(upload, { before, beat: this.#times.beat, change: (id, change) => this.#change(id, change), log: this.#log });
  }

  /**
   * Makes an upload one that can only be aborted. Waits as {@link claim} does.
   * @throws S3Error `NoSuchUpload` when it was completed or aborted.
   */
  async claimAbort({ uploadId }: UploadRecord, signal?: AbortSignal): Promise<UploadRecord> {
    const { upload } = await this.#take(
      uploadId,
      ({ completed, ending }) => (completed ? 'lost' : { list: '', maybeStaged: false, ...ending, owner: '', beat: 0, aborting: true }),
      signal,
    );
    return upload;
  }

  async remove(uploadId: string): Promise<void> {
    await this.checksums.remove(uploadId);
    await this.#kv.delete(partition, keyOf(uploadId));
  }

  /** Uploads of a repository that are in progress, in no particular order. */
  async *open(repository: RepositoryIdentity, signal?: AbortSignal): AsyncGenerator<UploadRecord> {
    const pace = new Pace();
    for await (const page of this.#kv.scan(partition, { signal })) {
      for (const { value } of page) {
        await pace.rest();
        const upload = decodeUpload(value);
        if (isInRepository(upload, repository) && isOpen(upload)) yield upload;
      }
    }
  }

  /** Forgets uploads that were completed long ago, and ends those that were abandoned. What fails is logged; the next sweep tries again. */
  async sweep(signal?: AbortSignal): Promise<void> {
    try {
      for await (const page of this.#kv.scan(partition, { signal })) {
        for (const { value } of page) {
          if (signal?.aborted) return;
          await this.#sweepOne(value, signal);
        }
      }
    } catch (error) {
      if (!signal?.aborted) this.#log.warn({ error: String(error) }, 'cannot list the records of old uploads');
    }
  }

  async #sweepOne(value: Buffer, signal: AbortSignal | undefined): Promise<void> {
    try {
      const upload = decodeUpload(value);
      if (await this.#canGo(upload, signal)) await this.remove(upload.uploadId);
    } catch (error) {
      if (!signal?.aborted) this.#log.warn({ error: String(error) }, 'cannot remove the record of an old upload');
    }
  }

  async #canGo(upload: UploadRecord, signal: AbortSignal | undefined): Promise<boolean> {
    const { completed, uploadId } = upload;
    if (completed) return Date.now() - completed.at.getTime() > memory;
    const claim = async (): Promise<UploadRecord | undefined> =>
      this.claimAbort(upload, signal).catch((error: unknown) => {
        if (error instanceof S3Error && error.code === 'NoSuchUpload') return undefined;
        throw error;
      });
    return this.#endAbandoned(upload, claim).catch((error: unknown) => {
      if (!signal?.aborted) this.#log.warn({ upload_id: uploadId, error: String(error) }, 'cannot abort an abandoned upload');
      return false;
    });
  }

  /**
   * Writes a new ending once no live owner holds the upload.
   * @param decide the new ending, `undefined` to leave the record as it is, or `lost`.
   */
  async #take(uploadId: string, decide: (upload: UploadRecord) => Ending | undefined | 'lost', signal?: AbortSignal): Promise<Taken> {
    const key = keyOf(uploadId);
    let seen = '';
    let since = 0;
    for (let pause = firstLook; ; ) {
      const found = await this.#kv.get(partition, key);
      if (!found) throw new S3Error('NoSuchUpload');
      const upload = decodeUpload(found.value);
      const { completed, ending: before } = upload;
      const sign = before ? `${before.owner} ${before.beat}` : '';
      if (sign !== seen) [seen, since] = [sign, performance.now()];
      if (!completed && before && before.owner !== '' && performance.now() - since < this.#times.stale) {
        await sleep(pause, undefined, { signal });
        pause = Math.min(pause * 2, longestLook);
        continue;
      }
      const ending = decide(upload);
      if (ending === 'lost') throw new S3Error('NoSuchUpload');
      if (!ending) return { upload, before };
      const taken = { ...upload, ending };
      if (await this.#kv.setIf(partition, key, encodeUpload(taken), found.predicate)) return { upload: taken, before };
    }
  }

  /** Changes a record, however often others change it meanwhile. @throws S3Error `NoSuchUpload` when it does not exist. */
  async #change(uploadId: string, change: (upload: UploadRecord) => UploadRecord): Promise<void> {
    const key = keyOf(uploadId);
    for (;;) {
      const found = await this.#kv.get(partition, key);
      if (!found) throw new S3Error('NoSuchUpload');
      if (await this.#kv.setIf(partition, key, encodeUpload(change(decodeUpload(found.value))), found.predicate)) return;
    }
  }
}

/** Whether clients may still list or abort it. */
function isOpen({ completed, ending }: UploadRecord): boolean {
  return !completed && !ending?.aborting;
}

function keyOf(uploadId: string): Buffer {
  return Buffer.from(uploadId, 'utf8');
}
