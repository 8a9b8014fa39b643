/** Policies and rules as they are stored: JSON below `settings/` in the repository's partition, with an ETag of the bytes. */
import { createHash } from 'node:crypto';
import { SrvError, absent } from '@srv/kernel';
import { strongEtag } from '@srv/lib-api/http';
import { checkWritable, partitionOf } from '@srv/lib-records';
import type { Repository } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';

export interface StoredSettings<T> {
  readonly items: readonly T[];
  /** Empty where nothing is stored. */
  readonly etag: string;
}

export class LifecycleSettings<T> {
  readonly #kv: KvStore;
  readonly #key: Buffer;
  readonly #check: (items: readonly T[]) => void;

  /** @param name of the record. @param check throws SrvError `invalid`. */
  constructor(kv: KvStore, name: 'branch_lifecycle' | 'object_lifecycle', check: (items: readonly T[]) => void) {
    this.#kv = kv;
    this.#key = Buffer.from(`settings/${name}`);
    this.#check = check;
  }

  /** Never cached: a run works by what is set now. */
  async get(repository: Repository): Promise<StoredSettings<T>> {
    return this.#stored((await this.#kv.get(partitionOf(repository), this.#key))?.value);
  }

  /** @throws SrvError `invalid`, `read_only`, `precondition_failed` when the stored ones are not those of the ETag. */
  async set(repository: Repository, items: readonly T[], ifMatch?: string): Promise<StoredSettings<T>> {
    checkWritable(repository);
    this.#check(items);
    const bytes = Buffer.from(JSON.stringify(items));
    const partition = partitionOf(repository);
    const found = await this.#kv.get(partition, this.#key);
    if (ifMatch !== undefined && strongEtag(ifMatch) !== this.#stored(found?.value).etag) throw changed();
    if (ifMatch === undefined) await this.#kv.set(partition, this.#key, bytes);
    else if (!(await this.#kv.setIf(partition, this.#key, bytes, found ? found.predicate : absent))) throw changed();
    return this.#stored(bytes);
  }

  async delete(repository: Repository): Promise<void> {
    checkWritable(repository);
    await this.#kv.delete(partitionOf(repository), this.#key);
  }

  #stored(bytes: Buffer | undefined): StoredSettings<T> {
    if (!bytes) return { items: [], etag: '' };
    return { items: itemsOf(bytes) as readonly T[], etag: createHash('sha256').update(bytes).digest('hex') };
  }
}

/** Whether a record of a repository's partition holds such settings. */
export function isLifecycleSettings(key: Buffer): boolean {
  return ['settings/branch_lifecycle', 'settings/object_lifecycle'].includes(key.toString('utf8'));
}

function itemsOf(bytes: Buffer): readonly unknown[] {
  const items: unknown = JSON.parse(bytes.toString('utf8'));
  if (!Array.isArray(items) || !items.every(item => typeof item === 'object' && item !== null))
    throw new SrvError('corrupt', 'stored lifecycle settings are not a list');
  return items;
}

function changed(): SrvError {
  return new SrvError('precondition_failed', 'Precondition failed: the lifecycle settings were changed meanwhile; read them again');
}
