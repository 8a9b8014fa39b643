/** Records of contents that wait to be committed, or to be put together: in the partition of the repository, for a day. */
import { SrvError } from '@srv/kernel';
import { Records, isRepositoryPartition, partitionOf, recordsBelow, workThrough } from '@srv/lib-records';
import type { Repository } from '@srv/engine/contract';
import type { KvEntry, KvStore, Predicate } from '@srv/kernel';
import type { StoredRecord } from '@srv/lib-records';

/** Milliseconds; URLs and tokens of uploads expire long before. */
const lifetime = 86_400_000;

interface Waiting {
  /** Milliseconds since 1970. */
  readonly uploaded: number;
}

type Members<T> = Partial<Record<keyof T, unknown>>;

export interface WaitingKind<T extends Waiting> {
  /** First part of the key. */
  readonly prefix: string;
  /** For messages: `upload`. */
  readonly what: string;
  /** The members of a record; `undefined` if one is missing. */
  read(members: Members<T>): T | undefined;
}

export class WaitingRecords<T extends Waiting> {
  readonly #kv: KvStore;
  readonly #kind: WaitingKind<T>;
  readonly #records: Records<T>;
  readonly #now: () => number;

  constructor(kv: KvStore, kind: WaitingKind<T>, now: () => number = Date.now) {
    this.#kv = kv;
    this.#kind = kind;
    this.#now = now;
    const encode = (record: T): Buffer => Buffer.from(JSON.stringify(record), 'utf8');
    this.#records = new Records<T>(kv, { prefix: kind.prefix, what: kind.what, encode, decode: bytes => decode(kind, bytes) });
  }

  now(): number {
    return this.#now();
  }

  /** Nothing for a record that has waited for too long. */
  async find(repository: Repository, id: string): Promise<StoredRecord<T> | undefined> {
    const found = await this.#records.find(partitionOf(repository), id);
    return found && this.#isFresh(found.value) ? found : undefined;
  }

  set(repository: Repository, id: string, record: T): Promise<void> {
    return this.#records.set(partitionOf(repository), id, record);
  }

  /** False: it was there before. */
  add(repository: Repository, id: string, record: T): Promise<boolean> {
    return this.#records.createIfAbsent(partitionOf(repository), id, record);
  }

  /** False when the record has changed since it was read. */
  replace(repository: Repository, id: string, record: T, predicate: Predicate): Promise<boolean> {
    return this.#records.replace(partitionOf(repository), id, record, predicate);
  }

  remove(repository: Repository, id: string): Promise<void> {
    return this.#records.remove(partitionOf(repository), id);
  }

  /**
   * Forgets what has waited for too long.
   * @param end comes first, such as to remove bytes. @throws the first failure, after the other records were forgotten.
   */
  async clean(repository: Repository, end: (record: T) => Promise<void> = async () => undefined): Promise<void> {
    const partition = partitionOf(repository);
    await workThrough(recordsBelow(this.#kv, partition, `${this.#kind.prefix}/`), async ({ key, value }) => {
      const record = decode(this.#kind, value);
      if (this.#isFresh(record)) return;
      await end(record);
      await this.#kv.delete(partition, key);
    });
  }

  #isFresh({ uploaded }: T): boolean {
    return uploaded + lifetime > this.#now();
  }
}

/** @throws SrvError `corrupt`. */
function decode<T extends Waiting>({ what, read }: WaitingKind<T>, bytes: Buffer): T {
  let record: T | undefined;
  try {
    record = read(JSON.parse(bytes.toString('utf8')) as Members<T>);
  } catch (error) {
    throw new SrvError('corrupt', `the record of what waits (${what}) cannot be read`, { cause: error });
  }
  if (!record) throw new SrvError('corrupt', `the record of what waits (${what}) lacks a member`);
  return record;
}

/** Takes a record apart for an operator; `undefined`: it is not of this kind. */
export function describeWaiting<T extends Waiting>(kind: WaitingKind<T>, partition: string, { key, value }: KvEntry): unknown {
  return isRepositoryPartition(partition) && key.toString('utf8').startsWith(`${kind.prefix}/`) ? decode(kind, value) : undefined;
}
