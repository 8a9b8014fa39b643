/**
 * Names that are being given. Names here differ in more than their case, which no single write can check: of requests at once,
 * at any server of the database, one holds the name while it checks and writes, and the others are refused.
 */
import { createHash, randomUUID } from 'node:crypto';
import { absent, messageOf } from '@srv/kernel';
import { ScimError } from './scim-error.js';
import { scimPartition } from './scim-records.js';
import type { KvStore, KvValue, Logger } from '@srv/kernel';

/** Milliseconds after which a lock no longer counts: its server has ended. */
export const longestMs = 60_000;

export function createNameLocks(kv: KvStore, log: Pick<Logger, 'warn'>) {
  /**
   * Runs `work` while no other request gives the name, in any case.
   * @param work takes less than a minute, or calls `renew` within each. @throws ScimError 409 where another request gives it.
   */
  return async function holding<T>(kind: 'user' | 'group', name: string, work: (renew: () => Promise<void>) => Promise<T>): Promise<T> {
    // Names that are not acceptable come here, too, and may not fit into a key.
    const digest = createHash('sha256').update(name.toLowerCase()).digest('hex');
    const key = Buffer.from(`locks/${kind}/${digest}`, 'utf8');
    const id = randomUUID();
    let lock = Buffer.alloc(0);
    const take = async (found: KvValue | undefined): Promise<void> => {
      const next = Buffer.from(JSON.stringify({ id, until: Date.now() + longestMs }), 'utf8');
      if (!(await kv.setIf(scimPartition, key, next, found?.predicate ?? absent))) throw givenElsewhere(kind, name);
      lock = next;
    };
    const present = await kv.get(scimPartition, key);
    if (present && untilOf(present.value) > Date.now()) throw givenElsewhere(kind, name);
    await take(present);
    const renew = async (): Promise<void> => {
      const held = await kv.get(scimPartition, key);
      if (!held?.value.equals(lock)) throw givenElsewhere(kind, name);
      await take(held);
    };
    try {
      return await work(renew);
    } finally {
      // What `work` did has happened: a lock that stays ends soon.
      await release(kv, key, lock).catch((error: unknown) =>
        log.warn({ kind, error: messageOf(error) }, 'cannot end the lock of a name; it ends within a minute'),
      );
    }
  };
}

function givenElsewhere(kind: 'user' | 'group', name: string): ScimError {
  return new ScimError(409, `${kind} ${name.slice(0, 200)} is being created or changed by another request: repeat this one`, 'uniqueness');
}

async function release(kv: KvStore, key: Buffer, lock: Buffer): Promise<void> {
  const held = await kv.get(scimPartition, key);
  if (held?.value.equals(lock)) await kv.delete(scimPartition, key);
}

export type NameLocks = ReturnType<typeof createNameLocks>;

function untilOf(lock: Buffer): number {
  return Number((JSON.parse(lock.toString('utf8')) as { readonly until?: unknown }).until);
}
