/**
 * Entries by which one record alone is found, such as that of an e-mail address. An entry is written before its record, and until
 * the record is there it is a claim: it keeps others away for a minute, after which its writer counts as dead.
 */
import { randomUUID } from 'node:crypto';
import { absent } from '@srv/kernel';
import { authPartition } from './keys.js';
import { decodeClaim, encodeClaim } from './records.js';
import type { KvStore, KvValue } from '@srv/kernel';

/** Milliseconds. */
const claimValidity = 60_000;
/** How often an entry is read again that other requests for the same record change meanwhile. */
const mostAttempts = 20;
/** What an entry points to that is being removed: not the key of a record. */
const removed = 'removed/entry';

const claimOf = (primaryKey: string): Buffer => encodeClaim({ primaryKey, claimedAt: new Date() }, randomUUID());

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

  /**
   * Runs a write after which the record no longer belongs into the entries, and removes them. Entries stay that another record has,
   * or that are claimed for the same record meanwhile.
   */
  async releasing<T>(keys: readonly string[], primaryKey: string, write: () => Promise<T>): Promise<T> {
    const entries: { readonly key: string; readonly entry: KvValue }[] = [];
    for (const key of keys) {
      const entry = await this.#kv.get(authPartition, Buffer.from(key, 'utf8'));
      if (entry && decodeClaim(entry.value).primaryKey === primaryKey) entries.push({ key, entry });
    }
    const written = await write();
    for (const { key, entry } of entries) if (!(await this.#isHeld(key, primaryKey))) await this.#remove(key, entry);
    return written;
  }

  /** Removes an entry unless it has changed. A claim without a record keeps everyone away from it until it is gone. */
  async #remove(key: string, entry: KvValue): Promise<void> {
    const at = Buffer.from(key, 'utf8');
    const claim = claimOf(removed);
    if (await this.#kv.setIf(authPartition, at, claim, entry.predicate)) await this.#kv.delete(authPartition, at);
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
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const entry = await this.#kv.get(authPartition, at);
      if (entry && !(await this.#isFree(key, entry.value, primaryKey))) return undefined;
      const claim = claimOf(primaryKey);
      if (await this.#kv.setIf(authPartition, at, claim, entry?.predicate ?? absent)) return () => this.#unclaim(key, primaryKey, claim);
    }
    return undefined;
  }

  async #isFree(key: string, entry: Buffer, primaryKey: string): Promise<boolean> {
    const { primaryKey: owner, claimedAt } = decodeClaim(entry);
    if (owner === primaryKey) return true;
    const isPending = claimedAt.getTime() + claimValidity > Date.now();
    return !isPending && !(owner !== removed && (await this.#isHeld(key, owner)));
  }

  async #unclaim(key: string, primaryKey: string, claim: Buffer): Promise<void> {
    const now = await this.#kv.get(authPartition, Buffer.from(key, 'utf8'));
    // Another request for the same record may have been faster.
    if (now?.value.equals(claim) && !(await this.#isHeld(key, primaryKey))) await this.#remove(key, now);
  }
}
