/** Xorbs of sessions: records in the partition of the repository, by user, session and hash. */
import { SrvError } from '@srv/kernel';
import { Records, isRepositoryPartition, partitionOf } from '@srv/lib-records';
import type { Repository } from '@srv/engine/contract';
import type { KvEntry, KvStore } from '@srv/kernel';

const prefix = 'huggingface-xorb';
/** Milliseconds after which a xorb is removed. */
const lifetime = 86_400_000;

export interface Xorb {
  readonly address: string;
  /** Where each chunk begins, and the end. */
  readonly offsets: readonly number[];
  /** Milliseconds since 1970. */
  readonly uploaded: number;
}

interface XorbKey {
  readonly repository: Repository;
  readonly user: string;
  readonly session: string;
  readonly hash: string;
}

const idOf = ({ user, session, hash }: XorbKey): string => `${user}/${session}/${hash}`;

export class Xorbs {
  readonly #kv: KvStore;
  readonly #records: Records<Xorb>;
  readonly #now: () => number;

  constructor(kv: KvStore, now: () => number = Date.now) {
    this.#kv = kv;
    this.#now = now;
    this.#records = new Records<Xorb>(kv, { prefix, what: 'xorb', encode, decode });
  }

  async find(key: XorbKey): Promise<Xorb | undefined> {
    return (await this.#records.find(partitionOf(key.repository), idOf(key)))?.value;
  }

  /** False: it was there before. */
  add(key: XorbKey, xorb: Omit<Xorb, 'uploaded'>): Promise<boolean> {
    return this.#records.createIfAbsent(partitionOf(key.repository), idOf(key), { ...xorb, uploaded: this.#now() });
  }

  /** Forgets old xorbs. @param remove removes their bytes. */
  async clean(repository: Repository, remove: (address: string) => Promise<void>): Promise<void> {
    const partition = partitionOf(repository);
    for await (const page of this.#kv.scan(partition, { start: Buffer.from(`${prefix}/`) })) {
      for (const { key, value } of page) {
        if (!key.toString('utf8').startsWith(`${prefix}/`)) return;
        const { uploaded, address } = decode(value);
        if (uploaded + lifetime > this.#now()) continue;
        await remove(address);
        await this.#kv.delete(partition, key);
      }
    }
  }
}

function encode({ address, offsets, uploaded }: Xorb): Buffer {
  return Buffer.from(JSON.stringify({ address, offsets, uploaded }), 'utf8');
}

/** @throws SrvError `corrupt`. */
function decode(bytes: Buffer): Xorb {
  try {
    const { address, offsets, uploaded } = JSON.parse(bytes.toString('utf8')) as Partial<Record<keyof Xorb, unknown>>;
    if (typeof address === 'string' && Array.isArray(offsets) && typeof uploaded === 'number')
      return { address, offsets: offsets as number[], uploaded };
  } catch (error) {
    throw new SrvError('corrupt', 'the record of a xorb cannot be read', { cause: error });
  }
  throw new SrvError('corrupt', 'the record of a xorb lacks a member');
}

/** Takes a record of this plugin apart for an operator; `undefined`: it is not one. */
export function describeXorb(partition: string, { key, value }: KvEntry): unknown {
  return isRepositoryPartition(partition) && key.toString('utf8').startsWith(`${prefix}/`) ? decode(value) : undefined;
}
