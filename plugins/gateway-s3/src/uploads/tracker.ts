/** Multipart uploads under way, in the key-value store: any server can continue what another began. */
import { absent } from '@srv/kernel';
import { S3Error } from '../protocol/errors.js';
import { PartChecksums } from './part-checksums.js';
import { decodeUpload, encodeUpload } from './record.js';
import type { KvStore, Logger } from '@srv/kernel';
import type { UploadRecord } from './record.js';

const partition = 'multiparts';
/** Milliseconds a completed upload is remembered. */
const memory = 24 * 3_600_000;
/** Longest key the stores take; no upload has such an id. */
const maxIdBytes = 2048;

export interface TrackerOptions {
  readonly log: Logger;
  /** Ends an open upload that was abandoned; tells whether its record can go. */
  endAbandoned(upload: UploadRecord): Promise<boolean>;
}

export class UploadTracker {
  /** Of the parts of uploads under way. */
  readonly checksums: PartChecksums;
  readonly #kv: KvStore;
  readonly #log: Logger;
  readonly #endAbandoned: TrackerOptions['endAbandoned'];

  constructor(kv: KvStore, { log, endAbandoned }: TrackerOptions) {
    this.checksums = new PartChecksums(kv);
    this.#kv = kv;
    this.#log = log;
    this.#endAbandoned = endAbandoned;
  }

  async create(upload: UploadRecord): Promise<void> {
    if (!(await this.#kv.setIf(partition, keyOf(upload.uploadId), encodeUpload(upload), absent)))
      throw new S3Error('InternalError', { message: 'The upload id is in use already.' });
  }

  /**
   * The upload of that id, which belongs to the path in the repository. The branch may be another one.
   * @throws S3Error `NoSuchUpload`.
   */
  async get(uploadId: string, repository: string, path: string): Promise<UploadRecord> {
    const key = Buffer.from(uploadId, 'utf8');
    const found = key.length === 0 || key.length > maxIdBytes ? undefined : await this.#kv.get(partition, key);
    const upload = found && decodeUpload(found.value);
    if (!upload || upload.path !== path || (upload.repository !== '' && upload.repository !== repository))
      throw new S3Error('NoSuchUpload');
    return upload;
  }

  /** As {@link get}, but only while parts can be added. */
  async getOpen(uploadId: string, repository: string, path: string): Promise<UploadRecord> {
    const upload = await this.get(uploadId, repository, path);
    if (upload.completed) throw new S3Error('NoSuchUpload');
    return upload;
  }

  async complete(upload: UploadRecord, etag: string): Promise<void> {
    await this.#kv.set(partition, keyOf(upload.uploadId), encodeUpload({ ...upload, completed: { etag, at: new Date() } }));
    await this.checksums.remove(upload.uploadId);
  }

  async remove(uploadId: string): Promise<void> {
    await this.checksums.remove(uploadId);
    await this.#kv.delete(partition, keyOf(uploadId));
  }

  /** Uploads of a repository that are under way, in no particular order. */
  async *open(repository: string, signal?: AbortSignal): AsyncGenerator<UploadRecord> {
    for await (const page of this.#kv.scan(partition, signal ? { signal } : {})) {
      for (const { value } of page) {
        const upload = decodeUpload(value);
        if (upload.repository === repository && !upload.completed) yield upload;
      }
    }
  }

  /** Forgets uploads that were completed long ago, and ends those that were abandoned. What fails is logged; the next sweep tries again. */
  async sweep(signal?: AbortSignal): Promise<void> {
    try {
      for await (const page of this.#kv.scan(partition, signal ? { signal } : {})) {
        for (const { value } of page) {
          if (signal?.aborted) return;
          const upload = decodeUpload(value);
          if (await this.#canGo(upload)) await this.remove(upload.uploadId);
        }
      }
    } catch (error) {
      if (!signal?.aborted) this.#log.warn({ error: String(error) }, 'cannot forget old uploads');
    }
  }

  async #canGo(upload: UploadRecord): Promise<boolean> {
    const { completed, uploadId } = upload;
    if (completed) return Date.now() - completed.at.getTime() > memory;
    return this.#endAbandoned(upload).catch((error: unknown) => {
      this.#log.warn({ upload_id: uploadId, error: String(error) }, 'cannot abort an abandoned upload');
      return false;
    });
  }
}

function keyOf(uploadId: string): Buffer {
  return Buffer.from(uploadId, 'utf8');
}
