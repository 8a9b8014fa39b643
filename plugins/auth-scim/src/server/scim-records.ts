/** Records of provisioning: what providers say that the directory does not keep. */
import { SrvError, absent } from '@srv/kernel';
import type { KvStore } from '@srv/kernel';

export const scimPartition = 'scim';

/**
 * Changes one record as it is now, whatever others write meanwhile.
 * @param change gets the record, `undefined` where it does not exist; `undefined`: nothing is written.
 * @throws SrvError `too_many_tries` when others keep changing it.
 */
export async function updateRecord(kv: KvStore, key: Buffer, change: (old: Buffer | undefined) => Buffer | undefined): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const found = await kv.get(scimPartition, key);
    const next = change(found?.value);
    if (next === undefined || (await kv.setIf(scimPartition, key, next, found?.predicate ?? absent))) return;
  }
  throw new SrvError('too_many_tries', `${key.toString('utf8')} is being changed by others, too: try again`);
}
