/**
 * Deletion of a record with everything that belongs to it. Two requests can delete a record at once, and the name can be given
 * again before the slower one is done: it takes nothing from the later record of the name.
 */
import { randomUUID } from 'node:crypto';
import { ProtoWriter, dateOf, readMessage, readTimestamp, timestampOf } from '@srv/lib-records';
import { deletionField, deletionIdField, removalField } from './records.js';
import type { KvStore, KvValue } from '@srv/kernel';

/** Milliseconds in which only the request that began to remove the record does so; then its server counts as ended. */
const removalValidity = 60_000;

interface RecordLocation {
  readonly kv: KvStore;
  readonly partition: string;
  readonly key: Buffer;
}

/** The record with the mark of its deletion, which distinguishes it from every other record of the name. */
export function markDeleted(record: Buffer): Buffer {
  return Buffer.concat([record, new ProtoWriter().bool(deletionField, true).string(deletionIdField, randomUUID()).finish()]);
}

export function isMarkedDeleted(record: Buffer): boolean {
  return readMessage(record, what).int(deletionField) !== 0;
}

/** Whether another request is removing the record, as the last step of its deletion. */
export function isBeingRemoved(record: Buffer): boolean {
  const since = dateOf(readTimestamp(readMessage(record, what).bytes(removalField), what)).getTime();
  return since + removalValidity > Date.now();
}

/** A deletion that has begun. */
export class Deletion<T> {
  /** What is deleted. */
  readonly record: T;
  readonly #at: RecordLocation;
  readonly #marked: Buffer;

  /** @param marked the record as it is stored, with its mark. */
  constructor(at: RecordLocation, marked: Buffer, record: T) {
    this.#at = at;
    this.#marked = marked;
    this.record = record;
  }

  /** Those of `items` that are reached while the record is there. */
  async *whileThere<I>(items: AsyncIterable<I> | Iterable<I>): AsyncGenerator<I> {
    for await (const item of items) {
      if (!(await this.#find(this.#marked))) return;
      yield item;
    }
  }

  /** Removes the record, unless another request has done so or is about to. @returns whether this one did. */
  async removeRecord(): Promise<boolean> {
    const { kv, partition, key } = this.#at;
    const found = await this.#find(this.#marked);
    const removal = Buffer.concat([this.#marked, new ProtoWriter().timestamp(removalField, timestampOf(new Date())).finish()]);
    if (!found || !(await kv.setIf(partition, key, removal, found.predicate))) return false;
    try {
      await kv.delete(partition, key);
    } catch (error) {
      await this.#giveBack(removal).catch(() => undefined);
      throw error;
    }
    return true;
  }

  /** Lets the deletion be repeated at once. */
  async #giveBack(removal: Buffer): Promise<void> {
    const { kv, partition, key } = this.#at;
    const found = await this.#find(removal);
    if (found) await kv.setIf(partition, key, this.#marked, found.predicate);
  }

  async #find(record: Buffer): Promise<KvValue | undefined> {
    const { kv, partition, key } = this.#at;
    const found = await kv.get(partition, key);
    return found?.value.equals(record) ? found : undefined;
  }
}

const what = 'a stored record of the auth partition';
