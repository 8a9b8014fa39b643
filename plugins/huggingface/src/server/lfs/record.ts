/** Contents that were uploaded by LFS or Xet and wait for their commit, by user and hash; garbage collection removes their bytes. */
import { WaitingRecords } from '../waiting.js';
import type { Repository } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { WaitingKind } from '../waiting.js';

export interface Upload {
  readonly address: string;
  /** Bytes. */
  readonly size: number;
  readonly etag: string;
  /** Milliseconds since 1970. */
  readonly uploaded: number;
}

export const uploadKind: WaitingKind<Upload> = {
  prefix: 'huggingface-lfs',
  what: 'upload',
  read: ({ address, size, etag, uploaded }) =>
    typeof address === 'string' && typeof size === 'number' && typeof etag === 'string' && typeof uploaded === 'number'
      ? { address, size, etag, uploaded }
      : undefined,
};

interface UploadKey {
  readonly repository: Repository;
  /** Only who uploaded a content may commit it: knowing its hash gives no right to read it. */
  readonly user: string;
  /** SHA-256 in hex. */
  readonly oid: string;
}

export class Uploads {
  readonly #records: WaitingRecords<Upload>;

  constructor(kv: KvStore, now?: () => number) {
    this.#records = new WaitingRecords(kv, uploadKind, now);
  }

  async find({ repository, user, oid }: UploadKey): Promise<Upload | undefined> {
    return (await this.#records.find(repository, `${user}/${oid}`))?.value;
  }

  async add({ repository, user, oid }: UploadKey, upload: Omit<Upload, 'uploaded'>): Promise<void> {
    await this.#records.set(repository, `${user}/${oid}`, { ...upload, uploaded: this.#records.now() });
  }

  /** Forgets what has waited for too long. */
  clean(repository: Repository): Promise<void> {
    return this.#records.clean(repository);
  }
}
