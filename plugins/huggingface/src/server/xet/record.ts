/** Xorbs of sessions, by user, session and hash. */
import { WaitingRecords } from '../waiting.js';
import type { Repository } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { WaitingKind } from '../waiting.js';

export interface Xorb {
  readonly address: string;
  /** Where each chunk begins, and the end. */
  readonly offsets: readonly number[];
  /** Milliseconds since 1970. */
  readonly uploaded: number;
}

export const xorbKind: WaitingKind<Xorb> = {
  prefix: 'huggingface-xorb',
  what: 'xorb',
  read: ({ address, offsets, uploaded }) =>
    typeof address === 'string' && isOffsets(offsets) && typeof uploaded === 'number' ? { address, offsets, uploaded } : undefined,
};

const isOffsets = (value: unknown): value is readonly number[] => Array.isArray(value) && value.every(offset => typeof offset === 'number');

interface XorbKey {
  readonly repository: Repository;
  readonly user: string;
  readonly session: string;
  readonly hash: string;
}

const idOf = ({ user, session, hash }: XorbKey): string => `${user}/${session}/${hash}`;

export class Xorbs {
  readonly #records: WaitingRecords<Xorb>;

  constructor(kv: KvStore, now?: () => number) {
    this.#records = new WaitingRecords(kv, xorbKind, now);
  }

  async find(key: XorbKey): Promise<Xorb | undefined> {
    return (await this.#records.find(key.repository, idOf(key)))?.value;
  }

  /** False: it was there before. */
  add(key: XorbKey, xorb: Omit<Xorb, 'uploaded'>): Promise<boolean> {
    return this.#records.add(key.repository, idOf(key), { ...xorb, uploaded: this.#records.now() });
  }

  /** Forgets old xorbs. @param remove removes their bytes. */
  clean(repository: Repository, remove: (address: string) => Promise<void>): Promise<void> {
    return this.#records.clean(repository, ({ address }) => remove(address));
  }
}
