/**
 * Entries by which one record alone is found, such as that of an e-mail address. An entry is written before its record, and until
 * the record is there it is a claim: it keeps others away for a minute, after which its writer counts as dead.
 */
import { absent } from '@srv/kernel';
import { authPartition } from './keys.js';
import { decodeClaim, encodeClaim } from './records.js';
import type { KvStore } from '@srv/kernel';

/** Milliseconds. */
const claimValidity = 60_000;

interface ClaimedWrite {
  write(): Promise<void>;
  refuse(): Error;
}

export class UniqueIndex {
  readonly #kv: KvStore;
  readonly #isHeld: (key: string, primaryKey: string) => Promise<boolean>;

  /** @param isHeld whether the record that an entry points to exists, and belongs into the entry. */
  constructor(kv: KvStore, isHeld: (key: string, primaryKey: string) => Promise<boolean>) {
    this.#kv = kv;
    this.#isHeld = isHeld;
  }

  /** Removes an entry, unless it is another record's. */
  async release(key: string, primaryKey: string): Promise<void> {
    const at = Buffer.from(key, 'utf8');
    const entry = await this.#kv.get(authPartition, at);
    if (entry && decodeClaim(entry.value).primaryKey === primaryKey) await this.#kv.delete(authPartition, at);
  }

  /**
   * Claims entries and writes their record: all of it or nothing.
   * @throws what `refuse` returns, when another record has an entry; what `write` throws.
   */
  async withClaims(keys: readonly string[], primaryKey: string, { write, refuse }: ClaimedWrite): Promise<void> {
    const claims: (() => Promise<void>)[] = [];
    try {
      for (const key of keys) {
        const unclaim = await this.#claim(key, primaryKey);
        if (!unclaim) throw refuse();
        claims.push(unclaim);
      }
      await write();
    } catch (error) {
      // One that stays is free in a minute.
      for (const unclaim of claims) await unclaim().catch(() => undefined);
      throw error;
    }
  }

  /** @returns what gives the claim back when the record is not written; `undefined`: another record has the entry, or will have it. */
  async #claim(key: string, primaryKey: string): Promise<(() => Promise<void>) | undefined> {
    const at = Buffer.from(key, 'utf8');
    const entry = await this.#kv.get(authPartition, at);
    if (entry) {
      const { primaryKey: owner, claimedAt } = decodeClaim(entry.value);
      const isPending = claimedAt.getTime() + claimValidity > Date.now();
      if (owner !== primaryKey && (isPending || (await this.#isHeld(key, owner)))) return undefined;
    }
    const claim = encodeClaim({ primaryKey, claimedAt: new Date() });
    if (!(await this.#kv.setIf(authPartition, at, claim, entry?.predicate ?? absent))) return undefined;
    return async () => {
      const now = await this.#kv.get(authPartition, at);
      // Another request for the same record may have been faster.
      if (now?.value.equals(claim) && !(await this.#isHeld(key, primaryKey))) await this.#kv.delete(authPartition, at);
    };
  }
}
