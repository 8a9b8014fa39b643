/** Monthly counters in the key-value store, which all servers of an installation share. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SrvError, absent } from '@srv/kernel';
import type { KvEntry, KvStore } from '@srv/kernel';
import type { MonthlyUsage } from '../contract.js';

export const usagePartition = 'usage';
const root = 'usage/monthly/';

/** Milliseconds before another try, each time plus a random share of the same again, and tries. */
const pause = 200;
const tries = 20;

/** `YYYYMM` of a moment, UTC. */
export function monthOf(at: Date): string {
  return `${at.getUTCFullYear()}${String(at.getUTCMonth() + 1).padStart(2, '0')}`;
}

export class UsageRecords {
  readonly #kv: KvStore;
  readonly #prefix: string;

  constructor(kv: KvStore, installationId: string) {
    this.#kv = kv;
    this.#prefix = `${root}${installationId}/`;
  }

  /** Adds to a month, safely with concurrent additions. @throws SrvError when the store cannot be written. */
  async add(month: string, count: number): Promise<void> {
    const key = Buffer.from(this.#prefix + month);
    for (let attempt = 1; attempt <= tries; attempt++) {
      const found = await this.#kv.get(usagePartition, key);
      const total = countOf(found?.value) + count;
      if (await this.#kv.setIf(usagePartition, key, Buffer.from(String(total)), found?.predicate ?? absent)) return;
      await sleep(pause + Math.random() * pause);
    }
    throw new SrvError('unavailable', `usage of ${month} could not be stored: other servers changed it ${tries} times`);
  }

  /** All months of this installation, oldest first. Records that are not counters of months are passed over. */
  async list(): Promise<MonthlyUsage[]> {
    const months: MonthlyUsage[] = [];
    for await (const page of this.#kv.scan(usagePartition, { start: Buffer.from(this.#prefix) })) {
      for (const entry of page) {
        const key = entry.key.toString('utf8');
        if (!key.startsWith(this.#prefix)) return months;
        const month = monthlyUsage(key.slice(this.#prefix.length), entry);
        if (month) months.push(month);
      }
    }
    return months;
  }
}

function monthlyUsage(name: string, { value }: KvEntry): MonthlyUsage | undefined {
  const [, year, month] = /^(\d{4})(0[1-9]|1[0-2])$/.exec(name) ?? [];
  return year === undefined ? undefined : { year: Number(year), month: Number(month), count: countOf(value) };
}

/** 0 for a value that is not a number. */
function countOf(value: Buffer | undefined): number {
  const text = value?.toString('utf8') ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

/** A record as operators see it. */
export function describeUsage(partition: string, { key, value }: KvEntry): unknown {
  return partition === usagePartition && key.toString('utf8').startsWith(root) ? { count: countOf(value) } : undefined;
}
