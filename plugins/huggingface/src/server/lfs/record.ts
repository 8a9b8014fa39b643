/** Contents that were uploaded by LFS and wait for their commit: records in the partition of the repository, by user and hash. */
import { SrvError } from '@srv/kernel';
import { Records, isRepositoryPartition, partitionOf } from '@srv/lib-records';
import type { Repository } from '@srv/engine/contract';
import type { KvEntry, KvStore } from '@srv/kernel';

const prefix = 'huggingface-lfs';
/** Milliseconds after which an upload without commit is forgotten; garbage collection removes its bytes. */
const lifetime = 86_400_000;

export interface Upload {
  readonly address: string;
  /** Bytes. */
  readonly size: number;
  readonly etag: string;
  /** Milliseconds since 1970. */
  readonly uploaded: number;
}

interface UploadKey {
  readonly repository: Repository;
  /** Only who uploaded a content may commit it: knowing its hash gives no right to read it. */
  readonly user: string;
  /** SHA-256 in hex. */
  readonly oid: string;
}

export class Uploads {
  readonly #kv: KvStore;
  readonly #records: Records<Upload>;
  readonly #now: () => number;

  constructor(kv: KvStore, now: () => number = Date.now) {
    this.#kv = kv;
    this.#now = now;
    this.#records = new Records<Upload>(kv, { prefix, what: 'upload', encode, decode });
  }

  async find({ repository, user, oid }: UploadKey): Promise<Upload | undefined> {
    const found = await this.#records.find(partitionOf(repository), `${user}/${oid}`);
    return found && found.value.uploaded + lifetime > this.#now() ? found.value : undefined;
  }

  async add({ repository, user, oid }: UploadKey, upload: Omit<Upload, 'uploaded'>): Promise<void> {
    await this.#records.set(partitionOf(repository), `${user}/${oid}`, { ...upload, uploaded: this.#now() });
  }

  /** Forgets what has waited for too long. */
  async clean(repository: Repository): Promise<void> {
    const partition = partitionOf(repository);
    for await (const page of this.#kv.scan(partition, { start: Buffer.from(`${prefix}/`) })) {
      for (const { key, value } of page) {
        if (!key.toString('utf8').startsWith(`${prefix}/`)) return;
        if (decode(value).uploaded + lifetime <= this.#now()) await this.#kv.delete(partition, key);
      }
    }
  }
}

function encode(upload: Upload): Buffer {
  return Buffer.from(JSON.stringify(upload), 'utf8');
}

/** @throws SrvError `corrupt`. */
function decode(bytes: Buffer): Upload {
  try {
    const { address, size, etag, uploaded } = JSON.parse(bytes.toString('utf8')) as Partial<Record<keyof Upload, unknown>>;
    if (typeof address === 'string' && typeof size === 'number' && typeof etag === 'string' && typeof uploaded === 'number')
      return { address, size, etag, uploaded };
  } catch (error) {
    throw new SrvError('corrupt', 'the record of an upload cannot be read', { cause: error });
  }
  throw new SrvError('corrupt', 'the record of an upload lacks a member');
}

/** Takes a record of this plugin apart for an operator; `undefined`: it is not one. */
export function describeUpload(partition: string, { key, value }: KvEntry): unknown {
  return isRepositoryPartition(partition) && key.toString('utf8').startsWith(`${prefix}/`) ? decode(value) : undefined;
}
