/** The version of the records' layout, which every program that shares the store must know (versioning rules, section 2.8). */
import { SrvError } from '@srv/kernel';
import { schemaVersion } from './keys.js';
import type { KvStore } from '@srv/kernel';

interface SchemaVersion {
  readonly stored: string;
  /** The one this release reads. */
  readonly known: string;
  readonly state: 'current' | 'migration required' | 'incompatible';
}

export function judgeSchemaVersion(stored: string): SchemaVersion {
  const known = schemaVersion.value;
  if (stored === known) return { stored, known, state: 'current' };
  const isOlder = /^[1-9][0-9]{0,3}$/.test(stored) && Number(stored) < Number(known);
  return { stored, known, state: isOlder ? 'migration required' : 'incompatible' };
}

/**
 * Passes for a store that is not set up yet.
 * @throws SrvError `config` for a version that this release does not read.
 */
export async function checkSchemaVersion(kv: KvStore): Promise<void> {
  const record = await kv.get(schemaVersion.partition, Buffer.from(schemaVersion.key));
  if (!record) return;
  const { stored, known, state } = judgeSchemaVersion(record.value.toString('utf8'));
  if (state === 'current') return;
  const remedy =
    state === 'incompatible'
      ? 'incompatible schema version; use a newer release'
      : 'migration required; migrate it with the release that wrote it';
  throw new SrvError('config', `the database has schema version ${JSON.stringify(stored)}, this release reads ${known}: ${remedy}`);
}
