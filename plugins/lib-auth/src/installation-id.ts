/** The UUID that names an installation, made by whichever server started first. */
import { randomUUID } from 'node:crypto';
import { absent } from '@srv/kernel';
import type { KvStore } from '@srv/kernel';

const partition = 'auth';
const key = Buffer.from('installation_id', 'utf8');

export async function installationId(kv: KvStore): Promise<string> {
  const known = await kv.get(partition, key);
  if (known) return known.value.toString('utf8');
  const id = randomUUID();
  if (await kv.setIf(partition, key, Buffer.from(id, 'utf8'), absent)) return id;
  return (await kv.get(partition, key))?.value.toString('utf8') ?? id;
}
